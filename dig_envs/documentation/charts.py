"""Bars as SVG."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

WIDTH, LABEL, BAR, LINE = 760, 230, 430, 24  # of a chart, in pixels


class Bar(NamedTuple):
    """A bar of a chart, from 0 to ``value``, with an interval."""

    label: str
    value: float
    low: float
    high: float
    text: str
    other: bool = False


def chart(title: str, bars: Sequence[Bar], mark: float | None = None) -> str:
    """Return horizontal bars as SVG; a dashed line stands at ``mark``."""
    scale = BAR / max(bar.high for bar in bars)
    height = 44 + LINE * len(bars)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/><text x="10" y="22" font-weight="bold">{escape(title)}</text>',
    ]
    for place, bar in enumerate(bars):
        y = 36 + LINE * place
        low, high = (LABEL + scale * max(end, 0) for end in (bar.low, bar.high))
        parts += [
            f'<text x="{LABEL - 8}" y="{y + 14}" text-anchor="end">{escape(bar.label)}</text>',
            f'<rect x="{LABEL}" y="{y + 2}" width="{scale * max(bar.value, 0):.1f}" height="{LINE - 7}" '
            f'fill="{"#b9b2a3" if bar.other else "#c98a2b"}"/>',
            f'<path d="M{low:.1f} {y + 10}H{high:.1f}" stroke="#222" stroke-width="1.5"/>',
            f'<text x="{max(high, LABEL) + 6:.1f}" y="{y + 14}" font-size="12">{escape(bar.text)}</text>',
        ]
    if mark is not None:
        parts.append(f'<path d="M{LABEL + scale * mark:.1f} 32V{height - 6}" stroke="#222" stroke-dasharray="4 3"/>')
    return "\n".join([*parts, "</svg>", ""])
