"""Candidate sets of postings: sizes by rank, no posting twice, subjects and quotations taken apart."""

import json
import lzma
from collections import Counter

import pytest

from maxmargin.datasets import load_newsgroup_sets
from maxmargin.datasets.newsgroup_sets import shares, split_posting

WORDS = " ".join(f"word{k}" for k in range(25))


@pytest.fixture
def folder(tmp_path):
    lines = [
        json.dumps({"split": split, "group": f"g.{group}", "text": f"Subject: Re: {split}{group}{k}\n\n{WORDS} {k}\n"})
        for split in ("train", "test")
        for group in "abcd"
        for k in range(12)
    ]
    lines.append(json.dumps({"split": "train", "group": "g.a", "text": "Subject: short\n\ntoo few words"}))
    (tmp_path / "newsgroups20").mkdir()
    (tmp_path / "newsgroups20" / "20news-bydate.jsonl.xz").write_bytes(lzma.compress("\n".join(lines).encode()))
    return tmp_path


def test_sets_share_no_posting_and_have_the_sizes_of_their_ranks(folder):
    X, Y = load_newsgroup_sets("train", 3, n_documents=10, n_groups=3, folder=folder)
    titles = [title for x in X for title in x["title"]]
    assert len(set(titles)) == len(titles) == 30
    assert "short" not in titles
    for x, y in zip(X, Y, strict=True):
        assert sorted(Counter(group for covered in y for group in covered).values()) == sorted(shares(10, 3))
        assert all(title.startswith(f"train{group[-1]}") for title, (group,) in zip(x["title"], y, strict=True))
        assert all(text.startswith(WORDS) for text in x["text"])
    assert load_newsgroup_sets("train", 3, n_documents=10, n_groups=3, folder=folder) == (X, Y)
    assert load_newsgroup_sets("train", 3, n_documents=10, n_groups=3, seed=1, folder=folder) != (X, Y)
    test, _ = load_newsgroup_sets("test", 1, n_documents=10, n_groups=3, folder=folder)
    assert all(title.startswith("test") for title in test[0]["title"])


def test_shares_fall_with_the_rank_and_add_up():
    assert shares(40, 8) == [13, 7, 5, 4, 3, 3, 3, 2]
    assert shares(3, 3) == [1, 1, 1]
    assert shares(7, 1) == [7]
    for total in range(5, 60, 6):
        found = shares(total, 5)
        assert sum(found) == total
        assert min(found) >= 1
        assert found == sorted(found, reverse=True)


def test_a_posting_is_taken_apart():
    head = "From: me\tSubject: RE: re: Wheels \tLines: 3\t\t"
    posting = head + "In article <1@x> you wrote\tJohn Doe writes:\t> no\t: no\tYes, it is.\t"
    assert split_posting(posting) == ("Wheels", "Yes, it is.")
    assert split_posting("From: me") == ("", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"split": "all"}, "split must be 'train' or 'test'"),
        ({"n": 0}, "must be at least 1"),
        ({"n_documents": 2, "n_groups": 3}, "n_documents at least n_groups"),
        ({"n": 50, "n_documents": 10, "n_groups": 3}, "are enough for [34] sets"),
        ({"n": 1, "n_documents": 10, "n_groups": 5}, "are enough for 0 sets"),
    ],
)
def test_complaints(folder, options, message):
    with pytest.raises(ValueError, match=message):
        load_newsgroup_sets(**{"n": 1, **options}, folder=folder)


@pytest.mark.slow
def test_the_real_postings_are_enough_for_the_benchmark():
    for split, n in (("train", 240), ("test", 160)):
        X, Y = load_newsgroup_sets(split, n)
        assert [len(x["text"]) for x in X] == [40] * n
        assert {len(set().union(*y)) for y in Y} == {8}
