"""Valid files of every format and ways to damage them, for the fuzzers."""

from __future__ import annotations

import json
import random

SVMLIGHT = "1 1:0.5 3:2 # a\n2 2:1e-3 4:7\n\n1 1:3\n3 1:-1.5 2:0.25 9:4\n"
CSV = 'a,b,label\n1,2.5,x\n-3,4e2,y\n0,0,"z, z"\n5,6,x\n'
LETOR = "2 qid:1 1:0.5 2:1 # doc\n0 qid:1 1:0.1\n1 qid:2 2:3\n0 qid:2 1:1 3:-2\n"
SVMHMM = "1 qid:1 1:1 5:0.5\n2 qid:1 2:1\n1 qid:2 3:1 # end\n3 qid:2 1:2\n"
CONLLU = "# text = it's here\n" + "".join(
    "\t".join(row.split()) + "\n" if row else "\n"
    for row in (
        "1-2 it's _ _ _ _ _ _ _ _",
        "1 it it PRON PRP _ 3 nsubj _ _",
        "2 's be AUX VBZ _ 3 cop _ _",
        "2.1 x _ _ _ _ _ _ _ _",
        "3 here here ADV RB _ 0 root _ _",
        "",
        "1 yes yes INTJ UH _ 0 root _ _",
    )
)
CONLL = "the DT B-NP\ndog NN I-NP\nbarks VBZ B-VP\n\na DT B-NP\ncat NN I-NP\n"
BRACKETS = "( (S (NP-SBJ (DT the) (NN dog))\n  (VP (VBZ barks)) (. .)) )\n(NP (NN caf\u00e9))\n"
CRFSUITE = "N\tw=a\tx:2\nV\tw=b\\:c\n\nN\tw=a\ty:0.5\tz\nV\tw=d\n"
COST = ",a,b,c\na,0,1,2\nb,1,0,1.5\nc,2,3,0\n"
EDGES = "parent,child\nroot,a\nroot,b\na,c\n# remark\nb\td\n"
NESTED = json.dumps({"root": {"a": ["c", "e"], "b": {"d": None}}})
PARENTS = json.dumps({"a": "root", "b": "root", "c": "a", "root": None})
TEMPLATES = '# words\nU00:%x[-1,0]\nU01:%x[0,0]/%x[1,1]\nU02:%t[0,0,"^\\u"]\nB%m[0,0,"..?$"]\n*:%X[2,0]\nB\n'

_SPACE = ("\x85", "\x1c", "\x1d", "\x1e", "\x1f", "\x0b", "\x0c", "\xa0", "\u2028", "\u2029", "\u3000", "\ufeff", "\0")
_TOKENS = (
    *("-", "+", ":", "::", "#", "qid:", "1:", ":1", "1:1", "0:1", "-1:2", "nan", "inf", "-inf", "1e999", "1e308"),
    *("2147483647:1", "2147483648:1", "4294967297:1", "9223372036854775808:1", "9" * 30, "9" * 5000 + ":1"),
    *("²:1", "٣:1", "１:1", "+-5:1", "1:²", "1:٣", "0x10", "1_0:1", "1:1_0", "'", '"', '""', ",", "\t", "\r", "\r\n"),
    *("%x[0,0]", "%x[99999999999,0]", "%x[-2147483649,0]", "%x[0,4294967296]", "%x[" + "9" * 5000 + ",0]", "%t[0,0]"),
    *('%m[0,0,"*"]', '%t[0,0,"\\"]', "%x[", "[" * 2000, "{" * 50, '{"a":' * 3000, "null", "true", "[]", "{}", "\\"),
    *("x" * 3000, "é" * 500, "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")),
)


def mutated(text: str, rng: random.Random) -> bytes:
    """The text with a few faults: bytes changed, dropped or repeated, tokens put in, the end cut off."""
    data = bytearray(text.encode())
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(8):
            case 0 if at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            case 1 if at < len(data):
                data[at] = rng.randrange(256)
            case 2:
                del data[at : at + rng.randrange(1, 6)]
            case 3:
                data[at:at] = rng.choice(_TOKENS).encode("utf-8", "replace")
            case 4:
                data[at:at] = rng.choice(_SPACE).encode()
            case 5:
                other = rng.randrange(len(data) + 1)
                data[at:at] = data[min(at, other) : max(at, other)]
            case 6:
                blank = [k for k, byte in enumerate(data) if byte in b" \t,\n:"]
                if blank:
                    k = rng.choice(blank)
                    data[k : k + 1] = rng.choice((*_SPACE, *_TOKENS)).encode("utf-8", "replace")
            case 7:
                del data[at:]
    return bytes(data)
