"""Handwritten words: letters read one by one and as a chain, with pictures of words where matplotlib is installed.

Without data a word is a string of scikit-learn's digits such as 3456, blurred by noise, in which most digits are one
more than the one before. With the environment variable MAXMARGIN_DATA set to a folder that holds ocr_letters/, the
words of the OCR data set take their place. The picture is written to handwriting.png, or to the file named
as an argument.
"""

import os
import sys
import time
from importlib.util import find_spec

import numpy as np
from sklearn.datasets import load_digits

from maxmargin import ChainSVC, MulticlassSVC
from maxmargin.datasets import load_ocr_letters


def digit_strings(images, digits, count, rng, length=6):
    """Strings of noisy digits; with probability 0.8 a digit is the one after its left neighbour."""
    X, Y = [], []
    for _ in range(count):
        y = rng.integers(10, size=length)
        for t in range(1, length):
            if rng.random() < 0.8:
                y[t] = (y[t - 1] + 1) % 10
        x = np.array([images[rng.choice(np.flatnonzero(digits == digit))] for digit in y])
        X.append(np.clip(x + 0.35 * rng.standard_normal(x.shape), 0.0, 1.0))
        Y.append(y.astype(str))
    return X, Y


def digit_words():
    images, digits = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    train = digit_strings(images[:1200] / 16.0, digits[:1200], 300, rng)
    return *train, *digit_strings(images[1200:] / 16.0, digits[1200:], 200, rng), (8, 8)


def letter_words():
    """Fold 0 to learn from and fold 1 to test, as letters a to z."""
    parts = []
    for fold in (0, 1):
        X, Y = load_ocr_letters([fold])
        parts += [X, [np.array([chr(ord("a") + code) for code in y]) for y in Y]]
    return *parts, (16, 8)


def draw(path, words, rows):
    """The words, each above its true letters and what the two models read."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 1.3 * len(words)), layout="constrained")
    for place, (word, (true, alone, chain)) in enumerate(zip(words, rows), 1):
        axes = figure.add_subplot(len(words), 1, place)
        axes.imshow(word, cmap="gray_r")
        axes.set_axis_off()
        axes.set_title(f"{true}: one by one {alone}, as a chain {chain}", fontsize=9)
    figure.savefig(path, dpi=120)


def main(path="handwriting.png"):
    X, Y, X_test, Y_test, shape = letter_words() if os.environ.get("MAXMARGIN_DATA") else digit_words()
    letters = MulticlassSVC(C=0.1).fit(np.vstack(X), np.concatenate(Y))
    alone = [letters.predict(x) for x in X_test]
    answers = {"one by one": alone}
    for order in (1, 2):
        begin = time.perf_counter()
        chain = ChainSVC(C=0.1, order=order).fit(X, Y)
        answers[f"as a chain, order {order}"] = chain.predict(X_test)
        solution = chain.solution_
        print(
            f"order {order}: {len(X)} words in {time.perf_counter() - begin:.2f} s, objective {solution.primal:.2f}, "
            f"gap {solution.gap:.2g}"
        )
    true = np.concatenate(Y_test)
    for name, answer in answers.items():
        whole = np.mean([np.array_equal(a, b) for a, b in zip(answer, Y_test)])
        wrong = np.mean(np.concatenate(answer) != true)
        print(f"{name}: {wrong:.1%} of the letters wrong, {whole:.1%} of the words right")

    model = ChainSVC(C=0.1).fit(X, Y).calibrate(X, Y)
    guesses = model.predict(X_test)
    confidence = model.predict_confidence(X_test)
    right = np.array([np.array_equal(a, b) for a, b in zip(guesses, Y_test)])
    sure = np.argsort(-confidence)[: len(confidence) // 2]
    print(f"of the half of the words it is surest of, {right[sure].mean():.1%} are right")

    gain = [np.count_nonzero(alone[i] != y) - np.count_nonzero(guesses[i] != y) for i, y in enumerate(Y_test)]
    shown = np.argsort(gain)[:-6:-1]
    rows = [tuple("".join(part[i]) for part in (Y_test, alone, guesses)) for i in shown]
    print("words for which the chain does most:")
    for true_word, read_alone, read_as_chain in rows:
        print(f"  written {true_word}, read one by one {read_alone}, as a chain {read_as_chain}")
    if find_spec("matplotlib") is None:
        print("No picture was drawn, since matplotlib is not installed: pip install 'maxmargin[report]'.")
        return
    draw(path, [np.hstack([letter.reshape(shape) for letter in X_test[i]]) for i in shown], rows)
    print(f"pictures of these words: {path}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
