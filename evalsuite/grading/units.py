r"""Units of measure: one name for each, whether by symbol, abbreviated or in full."""

import re

# What takes a prefix: "kJ", "mL".
_BASES = {
    "m": "meter", "g": "gram", "s": "second", "L": "liter", "l": "liter", "N": "newton", "J": "joule", "W": "watt",
    "V": "volt", "A": "ampere", "K": "kelvin", "C": "coulomb", "T": "tesla", "F": "farad", "Hz": "hertz",
    "Pa": "pascal", "Wb": "weber", "eV": "electronvolt", "mol": "mole", "M": "molar", "H": "henry", "Ω": "ohm",
    "cal": "calorie", "Wh": "watthour", "B": "byte", "b": "bit", "bit": "bit", "pc": "parsec", "bar": "bar",
}  # fmt: skip
_PREFIXES = {
    "k": "kilo", "M": "mega", "G": "giga", "T": "tera", "m": "milli", "c": "centi", "d": "deci", "µ": "micro",
    "μ": "micro", "n": "nano", "p": "pico",
}  # fmt: skip
_SYMBOLS = {s: name for s, name in _BASES.items() if len(s) > 1} | {
    p + symbol: _PREFIXES[p] + _BASES[symbol] for p in _PREFIXES for symbol in _BASES
} | {
    "dB": "decibel", "lm": "lumen", "lx": "lux", "Bq": "becquerel", "Gy": "gray", "Sv": "sievert", "rad": "radian",
    "sr": "steradian", "AU": "astronomicalunit", "au": "astronomicalunit", "amu": "dalton", "Da": "dalton",
    "Å": "angstrom", "ly": "lightyear", "atm": "atmosphere", "mmHg": "torr", "Torr": "torr", "rpm": "rpm",
    "psi": "psi", "dyn": "dyne", "erg": "erg", "ppm": "ppm", "ha": "hectare", "h": "hour",
}  # fmt: skip
# Abbreviations in either case.
_SHORT = {
    "ft": "foot", "feet": "foot", "inches": "inch", "in": "inch", "mi": "mile", "yd": "yard", "oz": "ounce",
    "mph": "mile per hour", "kmph": "kilometer per hour", "kph": "kilometer per hour", "hr": "hour", "hrs": "hour",
    "min": "minute", "mins": "minute", "sec": "second", "secs": "second", "lb": "pound", "lbs": "pound",
    "rs": "rupee", "cents": "cent", "deg": "degree", "units": "", "unit": "", "cc": "centimeter^3",
    "cm": "centimeter", "mm": "millimeter", "km": "kilometer", "kg": "kilogram", "ml": "milliliter",
    "kwh": "kilowatthour",
}  # fmt: skip
_LETTERS = {symbol: name for symbol, name in _BASES.items() if len(symbol) == 1} | {"h": "hour"}
# The letters that are units in any type, and those that are so right behind a digit: "5K" are five thousand.
_BARE = frozenset("mghsLlNJWVAKCTFΩ")
_GLUED = _BARE - frozenset("KTΩ")
_AMBIGUOUS = frozenset(prefix + letter for prefix in _PREFIXES for letter in _LETTERS if prefix.isascii())
_NAMES = {*_BASES.values(), *_SYMBOLS.values(), *_SHORT.values()} - {""}

_POWERS = {"{": "", "}": "", ".": " ", "/": " per "}


def name_of(unit: str) -> str:
    """One name for a unit: "centimeter^2" for "cm²", "square cm" and "sq. centimeters"; plain "units" are no unit."""
    for written, plain in _POWERS.items():
        unit = unit.replace(written, plain)
    unit = re.sub(r"\s+\^", "^", re.sub(r"\s+", " ", unit.strip()))
    unit = re.sub(r"\bdegrees? ?C\b", "celsius", re.sub(r"\bdegrees? ?F\b", "fahrenheit", unit))
    unit = re.sub(
        r"\b(square|sq|cubic|cu) (\S+)", lambda m: f"{m[2]}^{2 if m[1][0] in 'sS' else 3}", unit, flags=re.IGNORECASE
    )
    unit = re.sub(r"(\S+)\^-(\d)", r"per \1^\2", unit).replace("^1", "")
    unit = re.sub(r" (squared|cubed)\b", lambda m: "^2" if m[1] == "squared" else "^3", unit)
    return " ".join(name for name in map(_named, unit.split()) if name)


def _named(word: str) -> str:
    """The name of one unit, in the singular."""
    symbol, power, exponent = word.partition("^")
    plain = symbol.lower().replace("metre", "meter").replace("litre", "liter")
    name = _LETTERS.get(symbol) or _SYMBOLS.get(symbol)
    if name is None:
        name = _SHORT.get(plain, plain if plain.endswith(("ss", "hertz", "siemens")) else plain.removesuffix("s"))
    return name + power + exponent if name else ""


def is_measure(unit: str) -> bool:
    """Whether a unit, by its name, is a measure, and not only what is counted."""
    first = re.split(r"[ ^]", unit)[0]
    return first in _NAMES or first in ("celsius", "fahrenheit")


def upright(text: str) -> str:
    """What stands upright behind a number: a symbol of a unit by its name, anything else as it is."""
    first = re.split(r"[ ^/.]", text.strip())[0]
    return name_of(text) if first in _LETTERS or first in _SYMBOLS else text


def is_symbol(text: str, *, glued: bool, variables: bool) -> bool:
    """Whether what follows a number, perhaps without a space, begins with the symbol or abbreviation of a unit.

    Where there may be variables, "mg" right behind a digit is a product.
    """
    first = re.split(r"[ ^/]", text)[0].rstrip(".")
    if first.lower() in _SHORT:
        return True
    if glued and variables:
        return first in _SYMBOLS and first not in _AMBIGUOUS
    if len(first) == 1:
        return first in (_GLUED if glued else _BARE)
    return first in _SYMBOLS


def is_unit(words: str, *, glued: bool) -> bool:
    """Whether the words behind an expression with variables are a unit of measure, or the word itself."""
    if len(words) > 3:
        return is_measure(name_of(words)) or words.endswith(("unit", "units"))
    return is_symbol(words, glued=glued, variables=True)


def same(gold: str, answer: str) -> bool:
    """Whether two units agree: one may be missing, or say more than the other: "dollar", "dollar per day".

    A measure differs from its rates and products: a metre per second is no metre, a newton metre no newton.
    """
    less, more = sorted((gold, answer), key=len)
    if not less or less == more:
        return True
    further = more.removeprefix(f"{less} ")
    return further != more and not (is_measure(less) and (further.startswith("per ") or is_measure(further)))
