"""Templates: native evaluation equals plain Python, builders and parser say what they mean."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin import SequenceVectorizer
from maxmargin.chains.features import (
    Field,
    Template,
    Templates,
    changed,
    chunking_templates,
    entity_templates,
    flags,
    lower,
    parse_templates,
    prefixes,
    shape,
    suffixes,
    tagging_templates,
    window,
)
from maxmargin.chains.features.string_functions import FLAG_NAMES, Flag, Lower, Prefix, Shape, Suffix
from plain_features import as_counters, numbered, template_attributes, tutorial_attributes

QUICK = settings(max_examples=60)

WORD = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
FEW = st.sampled_from(["the", "The", "U.S.", "1990s", "|", "a|b", "", "\u00c9t\u00e9", "_B-1", "x-y"])
CHANGE = st.sampled_from([None, Lower(), Prefix(2), Suffix(1), Shape(), Flag("digit"), Flag("capital")])


@st.composite
def problems(draw):
    columns = draw(st.integers(1, 3))
    token = st.tuples(*[st.one_of(FEW, WORD)] * columns)
    sequences = draw(st.lists(st.lists(token, min_size=1, max_size=6), min_size=1, max_size=5))
    field = st.builds(Field, st.integers(-3, 3), st.integers(0, columns - 1), CHANGE)
    parts = st.lists(st.one_of(st.sampled_from(["u:", "/", "|"]), field), max_size=5).map(tuple)
    templates = draw(st.lists(st.builds(Template, parts, st.booleans()), min_size=1, max_size=6))
    return Templates(tuple(templates)), sequences


@QUICK
@given(problems(), st.data())
def test_native_evaluation_equals_plain_python(problem, data):
    templates, X = problem
    strings = [template_attributes(templates.token_templates, s) for s in X]
    names, expected = numbered(strings)
    vectorizer = SequenceVectorizer(templates=templates)
    packed = vectorizer.fit_transform(X)
    assert vectorizer.get_feature_names_out().tolist() == names
    assert as_counters(packed, names) == expected
    part = data.draw(st.lists(st.sampled_from(X), min_size=1, max_size=3))
    fewer = SequenceVectorizer(templates=templates).fit(part)
    same = SequenceVectorizer().fit([template_attributes(templates.token_templates, s) for s in part])
    assert fewer.get_feature_names_out().tolist() == same.get_feature_names_out().tolist()
    known = same.get_feature_names_out()
    assert as_counters(fewer.transform(X), known) == as_counters(same.transform(strings), known)


@QUICK
@given(st.lists(st.lists(st.tuples(st.one_of(FEW, WORD), FEW), min_size=1, max_size=7), min_size=1, max_size=5))
def test_chunking_templates_are_the_attributes_of_the_tutorial(X):
    strings = [tutorial_attributes(s) for s in X]
    names, expected = numbered(strings)
    vectorizer = SequenceVectorizer(templates=chunking_templates())
    assert as_counters(vectorizer.fit_transform(X), names) == expected
    assert vectorizer.get_feature_names_out().tolist() == names


def test_keys_too_large_for_a_number_are_read_as_text():
    """Seven fields over some thousand strings: their product does not fit into 64 bits."""
    X = [[f"word{i * 7919 % 5000}" for i in range(6000)]]
    templates = window(0, range(-3, 4), together=7) + window(0, range(-1, 1), together=2)
    rows = template_attributes(templates.token_templates, [(word,) for word in X[0]])
    names, expected = numbered([rows])
    vectorizer = SequenceVectorizer(templates=templates)
    packed = vectorizer.fit_transform(X)
    assert vectorizer.get_feature_names_out().tolist() == names
    assert packed.matrix().sum() == sum(map(len, expected[0]))


def names_of(templates, *tokens):
    return SequenceVectorizer(templates=templates).fit([list(tokens)]).get_feature_names_out().tolist()


def test_builders():
    assert names_of(window(0, [0, 1], name="w"), "a", "b") == ["w[0]=a", "w[1]=b", "w[0]=b"]
    assert names_of(window(1, [-1, 0], together=2), ("a", "A"), ("b", "B")) == ["x1[-1]|x1[0]=A|B"]
    assert names_of(prefixes(3), "ab") == ["x0[0]:prefix1=a", "x0[0]:prefix2=ab"]
    assert names_of(suffixes(3), "ab") == ["x0[0]:suffix1=b", "x0[0]:suffix2=ab"]
    assert names_of(shape(), "McDonald's-1990") == ["x0[0]:shape=XxXx'x-d"]
    assert names_of(lower(), "\u00c9T\u00c9") == ["x0[0]:lower=\u00e9t\u00e9"]
    assert names_of(flags(), "X-1") == ["x0[0]:digit", "x0[0]:hyphen", "x0[0]:capital"]
    assert names_of(changed(str.title, "title", offset=-1, name="w"), "ab", "c") == ["w[-1]:title=Ab"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("McDonald", {"capital"}),
        ("USA", {"capital", "capitals"}),
        ("3.5", {"digit", "number"}),
        ("B-52s", {"digit", "hyphen", "capital"}),
        ("--", {"hyphen", "punctuation"}),
        ("dog", set()),
    ],
)
def test_flags(word, expected):
    assert {name for name in FLAG_NAMES if Flag(name)(word) is not None} == expected


def test_entity_templates_describe_a_word_and_its_surroundings():
    vectorizer = SequenceVectorizer(templates=entity_templates())
    row = vectorizer.fit_transform([["de", "La", "de", "Coruña"]])
    names = vectorizer.get_feature_names_out()
    own = {name: row.matrix()[1, j] for j, name in enumerate(names) if row.matrix()[1, j]}
    assert own["w[-1]|w[0]:shape=x|Xx"] == own["w[-1]|w[0]|w[1]:shape=x|Xx|x"] == 1.0
    assert (own["w:before=de"], own["w:after=de"], own["w:after=Coruña"]) == (1.0, 1.0, 1.0)
    assert "w[-1]|w[0]:shape=_B-1|x" in names
    assert "w[0]|w[1]:shape=Xx|_B+1" in names
    assert row.matrix()[3, names.tolist().index("w:before=de")] == 2.0
    assert len(entity_templates()) == len(tagging_templates()) + 2 + 1 + 8
    assert SequenceVectorizer(templates="entities").fit([["a"]]).templates_ == entity_templates()


def test_tagging_templates_describe_a_word():
    names = names_of(tagging_templates(), "Pre-war")
    assert {"w[0]=Pre-war", "w[0]:lower=pre-war", "w[0]:prefix4=Pre-", "w[0]:suffix4=-war", "w[0]:shape=Xx-x"} < set(
        names
    )
    assert {"w[0]:hyphen", "w[0]:capital"} < set(names)
    assert "w[0]:digit" not in names
    assert tagging_templates().transitions


def test_sets_of_templates_add_up():
    both = parse_templates("U:%x[0,0]") + parse_templates("U:%x[0,1]\nB01:%x[0,0]")
    assert len(both) == 3
    assert not both.transitions
    assert (both + parse_templates("U\nB")).transitions


# --- the text format -----------------------------------------------------------------------------------------------

EXAMPLE = """
# Unigram
U00:%x[-2,0]
U01:%x[0,0]/%x[1, 1]

# Bigram
B
"""


def test_the_syntax_of_crfpp():
    templates = parse_templates(EXAMPLE)
    assert templates.transitions
    assert templates.pair_templates == ()
    first, second = templates.token_templates
    assert first == Template(("U00:", Field(-2, 0), ""), marks=True)
    assert second == Template(("U01:", Field(0, 0), "/", Field(1, 1), ""), marks=True)
    X = [[("The", "DT"), ("dog", "NN")]]
    vectorizer = SequenceVectorizer(templates=EXAMPLE).fit(X)
    assert vectorizer.get_feature_names_out().tolist() == ["U00:_B-2", "U01:The/NN", "U00:_B-1", "U01:dog/_B+1"]
    assert vectorizer.templates_.transitions


def test_attributes_of_pairs_of_labels_are_sequences_of_their_own():
    X = [["a", "b"], ["b"]]
    vectorizer = SequenceVectorizer(templates="U0:%x[0,0]\nB0:%x[0,0]\nB1:%x[-1,0]", min_count=2).fit(X)
    assert vectorizer.get_feature_names_out().tolist() == ["U0:b"]
    assert vectorizer.get_pair_names_out().tolist() == ["B1:_B-1", "B0:b"]
    pairs = vectorizer.transform_pairs(X)
    assert pairs.matrix().toarray().tolist() == [[1, 0], [0, 1], [1, 1]]
    assert pairs.lengths.tolist() == [2, 1]


def test_wapiti_has_both_kinds_in_one_line_and_lower_case():
    templates = parse_templates("*00:%X[0,0]\nb")
    assert [template.literals[0] for template in templates.token_templates] == ["u00:"]
    assert [template.literals[0] for template in templates.pair_templates] == ["b00:"]
    assert templates.transitions
    assert names_of(templates, "ABC") == ["u00:abc"]


@pytest.mark.parametrize(
    ("line", "word", "expected"),
    [
        ('U:%t[0,0,"^\\u"]', "Dog", "U:true"),
        ('U:%t[0,0,"^\\u"]', "dog", "U:false"),
        ('U:%t[0,0,"^\\u\\u*$"]', "DOG", "U:true"),
        ('U:%t[0,0,"^\\U*$"]', "dog1", "U:true"),
        ('U:%m[0,0,"^.?.?"]', "dog", "U:do"),
        ('U:%m[0,0,"..$"]', "dog", "U:og"),
        ('U:%M[0,0,"\\a*$"]', "12DOG", "U:dog"),
        ('U:%m[0,0,"\\d"]', "dog", "U:"),
        ('U:%m[0,0,"\\p\\D"]', "1-2,b", "U:,b"),
        ('U:%m[0,0,"a\\.b"]', "aXb a.b", "U:a.b"),
        ('U:%m[0,0,"a(b)$c"]', "a(b)$c", "U:a(b)$c"),
        ('U:%m[0,0,"\\""]', 'x"', 'U:"'),
        ('U:%t[-1,0,"."]', "dog", "U:_B-1"),
        ("U%:100%", "dog", "U%:100%"),
    ],
)
def test_regular_expressions_of_wapiti(line, word, expected):
    assert names_of(line, word) == [expected]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("U:%x[0,0]\nX:%x[0,0]", r"Template line 2 \('X:%x\[0,0\]'\) starts with 'X'; start it with U, B or \*"),
        ("U:%x(0,0)", r"Template line 1: '%x\(0,0\)' is not a field; write it like %x\[-1,0\]"),
        ("\nU:%x[0]", r"Template line 2: '%x\[0\]' is not a field"),
        ("U:%x[a,0]", r"Template line 1: '%x\[a,0\]' is not a field"),
        ("U:%x[@1,0]", r"Template line 1: '%x\[@1,0\]' asks for a fixed place of the sequence; only offsets"),
        ('U:%x[0,0,"a"]', "Template line 1: .* has a regular expression; %x takes none"),
        ("U:%t[0,0]", r"Template line 1: '%t\[0,0\]' lacks its regular expression"),
        ('U:%t[0,0,"*"]', r"Template line 1: '\*' in the expression '\*' has nothing to repeat"),
        ('U:%t[0,0,"a**"]', "has nothing to repeat"),
        ("# nothing\n\nB", "The text holds no templates for tokens; give lines such as 'U00:%x"),
    ],
)
def test_complaints_about_the_text(text, message):
    with pytest.raises(ValueError, match=message) as caught:
        parse_templates(text)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[("a", "b"), ("c",)]], r"Sequence 0, token 1: the token \('c',\) has 1 columns, the tokens before have 2"),
        ([[("a", "b")], ["c"]], "Sequence 1, token 0: the token 'c' has 1 column, the tokens before have 2"),
        ([["a"], [("a", "b")]], r"Sequence 1, token 0: the token \('a', 'b'\) has 2 columns, the tokens before have 1"),
        ([[("a", 3)]], "Sequence 0, token 0: column 1 is 3, which is not a string"),
        ([[{"a": 1}]], "Sequence 0, token 0: with templates a token must be a string or a tuple of strings, not dict"),
        ([[{"a"}]], "with templates a token must be a string or a tuple of strings, not set"),
        ([[], []], "All sequences are empty; give at least one token to learn from"),
        ([["a"], "text"], "Sequence 1: a sequence must be a list of tokens, not str"),
        ([["a"]], "The templates use column 1, but the tokens have 1, counted from 0"),
        ([], "There are no sequences"),
        ([["\udc00"]], "holds half of a pair of surrogates"),
    ],
)
def test_complaints_about_the_tokens(X, message):
    with pytest.raises(ValueError, match=message):
        SequenceVectorizer(templates=window(1)).fit(X)


def test_complaints_about_builders():
    with pytest.raises(ValueError, match="There is no flag 'big'; choose from digit, number"):
        flags(["big"])
    with pytest.raises(ValueError, match="together must be at least 1, not 0"):
        window(together=0)
    with pytest.raises(ValueError, match="The column -1 is not from 0 to 2147483647; columns count from 0"):
        Field(column=-1)
    with pytest.raises(ValueError, match="made 3 of 'abc'; it must return a string or None"):
        names_of(changed(len, "length"), "abc")
