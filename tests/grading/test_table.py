"""What a careful reader would say of answers: one row a case."""

import pytest

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.grading.grade import grade
from evalsuite.grading.verdict import Status

R, W, N = "right", "wrong", "no answer"

NUMBER = [
    # gold, text, expected, reason
    ("18", r"So \boxed{18}.", R, "plain box"),
    ("18", r"\boxed{18.0}", R, "a decimal that is an integer"),
    ("18", r"\boxed{018}", R, "leading zero, as AIME writes it"),
    ("18", "#### 18", R, "GSM8K mark"),
    ("18", "in the enclosure.#### 18", R, "mark glued to a sentence"),
    ("29", "The answer is $29.00.", R, "currency with cents"),
    ("1234", r"\boxed{1,234}", R, "thousands with a comma"),
    ("1234", r"\boxed{1 234}", R, "thousands with a space: math-verify reads 1"),
    ("1234", r"\boxed{1{,}234}", R, "thousands as TeX sets them"),
    ("1234", r"\boxed{1\,234}", R, "thousands with a thin space"),
    ("1234", r"\boxed{1235}", W, "another number"),
    ("-5", "The answer is −5.", R, "Unicode minus"),
    ("-5", r"\boxed{5}", W, "the sign counts"),
    ("0.5", r"\boxed{\frac{1}{2}}", R, "a fraction for an exact decimal"),
    ("0.5", r"\boxed{\dfrac12}", R, "fraction without braces"),
    ("0.5", r"\boxed{1/2}", R, "slash"),
    ("3/2", r"\boxed{1\frac{1}{2}}", R, "mixed numbers are sums"),
    ("3/2", r"\boxed{1 1/2}", R, "mixed number with a slash"),
    ("11/2", r"\boxed{1 1/2}", W, "1 1/2 is not 11/2"),
    ("1/3", r"\boxed{0.333}", W, "no tolerance"),
    ("1/3", r"\boxed{0.\overline{3}}", R, "overlines are exact"),
    ("0.35", r"\boxed{35\%}", R, "35 % is 0.35"),
    ("35%", r"\boxed{35}", R, "the sign may stand on one side only"),
    ("35%", r"\boxed{0.35}", R, "the value of 35 %"),
    ("0.35", r"\boxed{35}", W, "no factor of 100 without a percent sign"),
    ("25", "The answer is 2500.", W, "off by 100"),
    ("18", "The answer is 18 dollars.", R, "unit in the answer only"),
    ("18 dollars", r"\boxed{\$18}", R, "the same unit in two forms"),
    ("18 miles", r"\boxed{18 \text{ feet}}", W, "two different units"),
    ("230", "The answer is 80 + 150 = 230 miles.", R, "a calculation with its result"),
    ("18", r"\boxed{x = 18}", R, "a name in front"),
    ("18", "The answer is 18 (checked in 2 ways).", R, "a remark behind the answer"),
    ("18", "Answer: 5\nOn reflection, that was wrong.\nAnswer: 18", R, "the last answer line, not the first"),
    ("18", "She makes 9 * 2 = 18 dollars per day.", R, "the last sentence ends in one number"),
    ("18", "The total comes to:\n\n**18**", R, "bold"),
    ("18", "### Final Answer\n\n18", R, "a heading"),
    ("18", "The answer is: eighteen (18).", R, "in words and digits"),
    ("540", r"\boxed{\$540.00}", R, "currency in a box"),
    ("5", "The answer is 5 apples and 3 pears.", W, "two values"),
    ("18", "18", R, "the whole text"),
    ("18", "Janet has 18 ducks and 3 hens. Let us think.", N, "numbers of the question are no answer"),
    ("18", "There are 18 boys and 18 girls", N, "no closing statement"),
    ("18", "Is it = 18?", N, "a question is no answer"),
    ("7", "The answer is 18. No: the answer is 7.", R, "a later correction in prose"),
    ("7", r"\boxed{18} was a slip. The answer is 7.", R, "prose takes back a box"),
    ("18", "The answer is 18.\n\nQuestion: How many?\nThe answer is 7.", R, "an invented next question"),
    ("18", "The answer is 18.<|im_end|>\n<|im_start|>user\nThe answer is 7.", R, "leaked chat marks"),
    ("18", "<answer>18</answer>", R, "answer tag"),
    ("18", r"<answer>\boxed{18}</answer>", R, "a box in a tag"),
    ("18", "<think>The answer is 18.", N, "thinking never closes"),
    ("18", "It may be 7</think>The answer is 18.", R, "a closing tag alone ends thinking"),
    ("18", r"<think>\boxed{7}</think>\boxed{18}", R, "thinking is no answer"),
    ("18", r"<think>\boxed{18}</think>I do not know", N, "what was only thought"),
    ("9" * 60, r"\boxed{" + "9" * 60 + "}", R, "integers are exact at any length"),
    ("9" * 60, r"\boxed{" + "9" * 59 + "8}", W, "the last of sixty digits"),
    ("0.0000001", r"\boxed{2e-7}", W, "1e-7 is not 2e-7: math-verify rounds"),
    ("0.0000001", r"\boxed{1 \times 10^{-7}}", R, "scientific notation"),
    ("1024", r"\boxed{2^{10}}", R, "an expression for a number"),
    ("18", r"\boxed{3x}", W, "not a number at all"),
    ("343", "1153 + 1520 * 3 = 1153 + 360 = 343.", R, "a chain ends in its value"),
    ("60", "15 * 4 = 60 pages\nMira reads 15 * 4 = 60 pages", R, "a calculation said twice"),
    ("270", "43 * 7 = 270\n\nCheers to you for your hard work.", R, "a friendly word after the answer"),
    ("194", "1. 47 * 8 = 194\n\nThe answer is inside \\boxed{}.", R, "an empty box announced after the answer"),
    ("10", "4 + 6 = 10\n\nAdd 1 to 9.", N, "other numbers after the first line"),
    ("24", "We get it.\nSo, 3 * 8 = 24 is the final answer inside the brackets.", R, "the answer before its name"),
    ("220", "100 + 120 = 220 minutes.\n\nTherefore, 220 is the answer. Good.", R, "the answer before its name"),
    ("120", "So, two hours can be considered as two 120-minute halves.", N, "a number in the middle of a phrase"),
    ("24", "So, the bakery sells 24 rolls of rolls.", N, "no closing statement"),
    ("6", "Thus, there are 6 such pairs.", R, "a number right behind the verb"),
    ("29", "There are 29 ways such that the sum is 99.", N, "the last number belongs to a clause"),
    ("99", "There are 29 ways such that the sum is 99.", N, "the last number belongs to a clause"),
    ("1", "Now a = 1.\nThis is because the only tangent line is $y=1$.", N, "an explanation"),
    ("4", "The maximum number of points where the circles meet is $4$.", R, "a clause within the subject"),
    ("11", "The total isn't 11.", N, "denied"),
    ("15", "The lots are sold for 15 dollars to him", N, "a verb with more than a number"),
    ("0.75", r"So the ratio is $\tan(C)=3/4$.", R, "dollars of TeX around the last number"),
]

MATH = [
    (r"\frac{1}{2004!}", r"\boxed{\frac{1}{2006!}}", W, "math-verify: equal"),
    (r"1-\frac{1}{e}", r"\boxed{1+\frac{1}{e}}", W, "math-verify: equal"),
    (r"1-\frac{1}{e}", r"\boxed{1-e^{-1}}", R, "the same, written as a power"),
    ("4", r"\boxed{4\sqrt(2)}", W, "math-verify: equal"),
    (r"4\sqrt{2}", r"\boxed{4\sqrt(2)}", R, "parenthesis for brace"),
    ("3x-y+13=0", r"\boxed{3x+4y+14=0}", W, "math-verify: equal"),
    ("3x-y+13=0", r"\boxed{y=3x+13}", R, "one line in two forms"),
    ("3x-y+13=0", r"\boxed{6x-2y+26=0}", R, "equal up to a factor"),
    ("3x-y+13=0", r"\boxed{0}", W, "the right side alone"),
    ("(1,2)", r"\boxed{\{1,2\}}", W, "math-verify: a pair is a set"),
    ("(1,2)", r"\boxed{(2,1)}", W, "pairs have an order"),
    ("(1,2)", r"\boxed{\left( 1, 2 \right)}", R, "sized brackets"),
    (r"\{1,2\}", r"\boxed{2, 1}", R, "sets have none"),
    (r"\{1,2\}", r"\boxed{\{1\}}", W, "nothing may be missing"),
    ("1,-2", r"\boxed{-2} and \boxed{1}", R, "two boxes name the two solutions"),
    ("1,-2", r"\boxed{1}", W, "one solution of two"),
    ("540", r"I get \boxed{540}, not \boxed{450}.", R, "a negated box"),
    ("450", r"I get \boxed{540}, not \boxed{450}.", W, "a negated box"),
    ("540", r"First \boxed{450}. I was wrong: \boxed{540}", R, "the later box"),
    ("540", r"\boxed{540} \boxed{}", R, "an empty box is none"),
    ("11111_2", r"\boxed{11111}", W, "math-verify: the base is lost"),
    ("52_8", r"\boxed{52_{8}}", R, "base with a brace"),
    ("52_8", r"\boxed{52_9}", W, "another base"),
    ("x=5", r"\boxed{5}", R, "a name may be left out"),
    ("5", r"\boxed{x=5}", R, "or stand in front"),
    ("x=5", r"\boxed{y=5}", W, "another name"),
    ("2x+1", r"\boxed{f(x)=2x+1}", R, "name of a function"),
    ("x+1", r"\boxed{y+1}", W, "another free variable"),
    ("x^2-1", r"\boxed{(x-1)(x+1)}", R, "factorised"),
    ("p - q", r"\boxed{q - p}", W, "the order of a difference"),
    ("|x|", r"\boxed{x}", W, "equal for positive numbers only"),
    (r"\sin^2 x", r"\boxed{1-\cos^2 x}", R, "identity"),
    (r"\frac{\sqrt{2}}{2}", r"\boxed{\frac{1}{\sqrt2}}", R, "rationalised"),
    (r"2\pi", r"\boxed{6.2832}", W, "a rounded decimal"),
    (r"\frac{3}{56}", r"\boxed{0.0535714}", W, "a rounded decimal"),
    (r"3\pm\sqrt{2}", r"\boxed{3+\sqrt{2}, 3-\sqrt{2}}", R, "plus or minus"),
    ("[1,2)", r"\boxed{[1,2]}", W, "end points count"),
    ("[1,2)", r"\boxed{1 \le x < 2}", R, "an interval as an inequality"),
    (r"(-\infty,2)\cup(3,\infty)", r"\boxed{(3,\infty)\cup(-\infty,2)}", R, "a union in any order"),
    (r"(-\infty, 0]", r"\boxed{(-\infty, 0)}", W, "end points count"),
    ("x>5", r"\boxed{5<x}", R, "turned round"),
    ("x>5", r"\boxed{x<5}", W, "the other side"),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\boxed{\begin{bmatrix}1\\2\end{bmatrix}}", R, "brackets of a matrix"),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\boxed{\begin{pmatrix}1&2\end{pmatrix}}", W, "a row is no column"),
    (r"\text{Evelyn}", r"\boxed{Evelyn}", R, "a name"),
    (r"\text{Evelyn}", r"\boxed{nylevE}", W, "a name is no product of letters"),
    ("even", "The answer is even.", R, "a word"),
    (r"90^\circ", r"\boxed{90}", R, "degrees on one side"),
    (r"15\mbox{ cm}^2", r"The area is $\boxed{15}$ square cm.", R, "unit in the gold"),
    ("3:2", r"\boxed{2:3}", W, "ratios have an order"),
    (r"\binom{10}{3}", r"\boxed{120}", R, "binomial"),
    ("6-5i", r"\boxed{-5i+6}", R, "complex"),
    ("6-5i", r"\boxed{6+5i}", W, "conjugate"),
    (r"\frac{1}{2}", r"\boxed{\frac{1}{2}$", R, "a forgotten brace"),
    ("5x", r"\boxed{5}", W, "half an expression"),
    (r"(3,\frac{\pi}{2})", r"The final answer is $(3,\frac{\pi}{2}).$ I hope it is correct.", R, "sentence after it"),
    ("26000", r"\boxed{(1000)(26)}", R, "a product in brackets"),
    ("1026", r"\boxed{1000(26)}", W, "math-verify: a sum"),
    (r"\log_2(x)", r"\boxed{\log_{2} x}", R, "a logarithm is no product"),
    (r"10,\!080", r"\boxed{10080}", R, "thousands with a negative space"),
    (r"\{-1,1\}", r"\boxed{x=-1 \text{ and } x=1}", R, "solutions by name"),
    (r"1 \pm \sqrt{19}", r"\boxed{x = 1 + \sqrt{19}} or \boxed{x = 1-\sqrt{19}}", R, "two boxes for a sign"),
    (r"\frac{1}{100!}", r"\boxed{\frac{1}{99!}}", W, "both very small"),
    ("0", r"\boxed{10^{-40}}", W, "small is not zero"),
    (r"(0,1)\cup(1,2)", r"\boxed{(0,2)}", W, "one point more"),
    (r"5 \text{ cm}", r"\boxed{5 \text{ m}}", W, "another unit"),
    (r"\sqrt{2}+\sqrt{3}", r"\boxed{\sqrt{5+2\sqrt{6}}}", R, "nested roots"),
    ("10", r"The answer is \[ 10 \]", R, "display formula"),
    ("10", "I hope the answer is correct", N, "talk about an answer"),
    ("84", r"We can choose them in $\binom{9}{6}=84$ ways.", R, "a unit behind the formula"),
    ("3R^2", "The value of $m+n+p$ is $2m+n+p$.", N, "a closing sentence counts for numbers only"),
    ("0", "These are the roots of $x^2 + 3x - 4 = 0$.", N, "an equation in an unknown"),
    (r"\frac{639}{40}", r"\boxed{15\frac{39}{40}} or \boxed{\frac{639}{40}}", R, "one answer in two forms"),
]

OPTIONS = ("10", "12", "a triangle", "14.5", "none of these")

CHOICE = [
    ("B", "(B)", R, "parentheses"),
    ("B", "B.", R, "full stop"),
    ("B", r"\boxed{\text{B}}", R, "text in a box"),
    ("B", r"\boxed{b}", R, "lower case in a box"),
    ("B", "The answer is B", R, "phrase"),
    ("B", "**Answer:** B", R, "bold label"),
    ("B", "The correct option is (B) 12.", R, "letter with its value"),
    ("B", "Therefore, option B is correct.", R, "verdict on an option"),
    ("B", r"\boxed{12}", R, "the value of one option"),
    ("B", "The answer is 12.0.", R, "the value in another form"),
    ("E", "The answer is none of these.", R, "the text of an option"),
    ("C", r"\boxed{a triangle}", R, "an article is no letter"),
    ("A", "The answer is a triangle.", W, "an article is no letter"),
    ("B", "The answer is (B) or (C).", W, "two letters"),
    ("C", "The answer is (B) or (C).", W, "two letters"),
    ("B", "The answer is A, B, C, D, or E.", W, "all letters"),
    ("A", "The answer is not (B). The answer is (A).", R, "a negated letter"),
    ("C", "The answer is $3^2 = 9$. The answer is (C).", R, "two statements on one line"),
    ("B", r"\boxed{13}", W, "a value that no option has"),
    ("B", r"$\boxed{\textbf{(B)}\ 12}$", R, "letter and value in a box"),
    ("B", "The answer is 12, which is option (B).", R, "value, then letter"),
    ("B", "Answer: (B) 12, not (A) 10", R, "another option denied"),
    ("E", "The answer is E.", R, "five options"),
    ("B", "We compare A with B and so on.", N, "letters in passing"),
    ("A", "A. 10\nB. 12\nC. a triangle\nD. 14.5\nE. none of these", N, "the options restated"),
    ("A", "A. 8\nB. 4\nC. 6", N, "some options, with other values"),
    ("A", "A: 42.67\nB: 23.76\nC: 21.56", N, "options with colons"),
    ("A", "A. 10 B. 12 C. a triangle", N, "options on one line"),
    ("A", "The answer is:\nA. 10\nB. 12\nC. a triangle", N, "a heading over the options"),
    ("A", "The desired answer:\nA 10 + 2\nB 12 + 2\nC 14", N, "a heading over a list without stops"),
    ("B", "A. 10\nB. 12\nC. a triangle\n\nThe answer is B.", R, "options restated, then one chosen"),
    ("D", "Let's choose the correct answer (D).\nA. 10\nB. 12", R, "one chosen, then options restated"),
    ("B", "So we pick option B", R, "a choice in so many words"),
    ("B", "If we choose option B, we are wrong.", N, "a choice only supposed"),
    ("B", "B. 12", R, "the whole text"),
    ("B", "B. 12\n\nExplanation: twelve comes next.", R, "the answer first, then its reasons"),
    ("B", "B\nbecause twelve comes next.", R, "the letter first, then its reasons"),
    ("A", "A. 10\n\nStep 1\n\nC. a triangle", N, "two options without a choice"),
    ("B", "The answer is B. 10.", W, "letter and value of different options"),
    ("A", "The answer is B. 10.", W, "letter and value of different options"),
    ("A", "The answer is option B: 10.", W, "letter and value of different options"),
    ("A", "B. 10", W, "letter and value of different options"),
    ("B", "The answer is B. 12. It is even.", R, "letter and value, then a sentence"),
    ("A", "The answer is A + 2.", W, "a formula is no letter"),
    ("A", "The answer is A = 118 and B = 118.", W, "two letters with values"),
]

QA = [
    ("Paris", "<answer>paris.</answer>", R, "case and punctuation"),
    ("The Beatles", "<answer>Beatles</answer>", R, "article"),
    ("Aa Bank", "<answer> Bank</answer>", W, "articles go as whole words only"),
    ("Paris", "<answer>Paris, France</answer>", W, "exact match is not containment"),
    ("St. Louis", "Answer: St. Louis", R, "abbreviation"),
    ("東京", "<answer>東京</answer>", R, "another script"),
    ("Paris", "Paris", R, "the whole text"),
    ("Paris", "<information>\nQuestion: Rome?\n<answer>Rome</answer></information><answer>Paris</answer>", R, "a tool"),
    ("Paris", "Paris\n\nQuestion: And Italy?\nRome", R, "an invented next question"),
    ("Paris", "I will think first. <think> It is <answer>Paris</answer>", N, "thinking never closes"),
    ("Paris", "<answer></answer>", N, "empty tag"),
]

TABLE = (
    [(AnswerKind.NUMBER, (), *row) for row in NUMBER]
    + [(AnswerKind.MATH, (), *row) for row in MATH]
    + [(AnswerKind.CHOICE, OPTIONS, *row) for row in CHOICE]
    + [(AnswerKind.QA, (), *row) for row in QA]
)


@pytest.mark.parametrize(
    ("kind", "options", "gold", "text", "expected", "reason"), TABLE, ids=[f"{r[0]}-{r[-1]}"[:60] for r in TABLE]
)
def test_verdict(kind: AnswerKind, options: tuple[str, ...], gold: str, text: str, expected: str, reason: str) -> None:
    verdict = grade(kind, (gold,), options, text, answer_format=AnswerFormat.FREE, cut_off=False)
    said = N if verdict.status is Status.NO_ANSWER else R if verdict.correct else W
    assert said == expected, f"{reason}: {verdict}"


B, T, L = AnswerFormat.BOXED, AnswerFormat.ANSWER_TAG, AnswerFormat.ANSWER_LINE

STRICT = [
    # asked format, text, right, right in the asked format
    (B, r"\boxed{18}", True, True),
    (B, "The answer is 18.", True, False),
    (B, "\\boxed{18}\nThe answer is 18.", True, True),
    (B, "\\boxed{7}\nThe answer is 18.", True, False),
    (B, r"\boxed{18", True, False),
    (T, "<answer>18</answer>", True, True),
    (T, r"<answer>\boxed{18}</answer>", True, True),
    (T, r"\boxed{18}", True, False),
    (L, "Answer: 18", True, True),
    (L, "The answer is 18.", True, False),
    (L, "**Answer:** 18", True, True),
    (L, "So the answer: 18", True, False),
    (L, "Answer: 7", False, False),
]


@pytest.mark.parametrize(("asked", "text", "correct", "strict"), STRICT)
def test_strict(asked: AnswerFormat, text: str, correct: bool, strict: bool) -> None:
    verdict = grade(AnswerKind.NUMBER, ("18",), (), text, answer_format=asked, cut_off=False)
    assert (verdict.correct, verdict.strict) == (correct, strict), verdict


CUT = [
    (r"So \boxed{18", Status.CUT_OFF, "the cut broke the box"),
    (r"\boxed{7} is wrong, so \boxed{1", Status.CUT_OFF, "another answer had begun"),
    (r"\boxed{18} \boxed{18} \boxed{1", Status.OK, "the text only repeated itself"),
    ("The answer is 1", Status.CUT_OFF, "more digits may have followed"),
    (r"\boxed{18} and we check that 9 * 2", Status.OK, "an answer before the cut"),
    ("She makes 9 * 2 = 18", Status.CUT_OFF, "a closing sentence needs an end"),
    ("<think>The answer is 18. But", Status.CUT_OFF, "thinking never closes"),
]


@pytest.mark.parametrize(("text", "status", "reason"), CUT)
def test_cut_off(text: str, status: Status, reason: str) -> None:
    verdict = grade(AnswerKind.NUMBER, ("18",), (), text, answer_format=AnswerFormat.FREE, cut_off=True)
    assert verdict.status is status, f"{reason}: {verdict}"
    assert verdict.correct is (status is Status.OK)


def test_an_unreadable_gold_is_not_scored() -> None:
    verdict = grade(AnswerKind.CHOICE, ("F",), OPTIONS, "(F)", answer_format=AnswerFormat.FREE, cut_off=False)
    assert (verdict.correct, verdict.strict, verdict.score) == (None, None, None)
    assert verdict.status is Status.UNREADABLE_GOLD


def test_qa_scores_tokens_with_the_best_gold() -> None:
    verdict = grade(
        AnswerKind.QA, ("Rome", "Paris"), (), "<answer>Paris France</answer>", answer_format=T, cut_off=False
    )
    assert (verdict.correct, verdict.score) == (False, pytest.approx(2 / 3))
