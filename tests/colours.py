"""Read the colours of a style sheet, and tell whether one can be read on another."""

import re

AA = 4.5  # the least contrast of text, by WCAG 2

_DARK = re.compile(r"@media screen and \(prefers-color-scheme: dark\) \{\n(.*?)\n\}", re.DOTALL)
_ROOT = re.compile(r":root \{(.*?)\}", re.DOTALL)
_COLOUR = re.compile(r"--([\w-]+): (#\w{6});")


def colours_of(style: str, *, is_dark: bool) -> dict[str, str]:
    """Return the colours by name, as a screen in the light or the dark shows them."""
    dark = "\n".join(_DARK.findall(style))
    light = re.sub(r"@media print \{.*?\n\}", "", _DARK.sub("", style), flags=re.DOTALL)
    colours: dict[str, str] = {}
    for text in (light, dark) if is_dark else (light,):
        for block in _ROOT.findall(text):
            colours |= dict(_COLOUR.findall(block))
    return colours


def contrast(one: str, other: str) -> float:
    """The ratio of two colours' luminance, as WCAG 2 defines it."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels]
    return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
