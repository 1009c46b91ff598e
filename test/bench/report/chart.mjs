// Line charts with logarithmic axes, as SVG that is readable on light and dark backgrounds.
import { format } from "../results.mjs";

const WIDTH = 640;
const HEIGHT = 380;
const FRAME = { left: 64, right: 24, top: 76, bottom: 48 };
const COLOURS = [
  ["#1f6fd1", "#6cb0ff"],
  ["#c4560a", "#ff9d4d"],
  ["#1a7f4b", "#56cf92"],
  ["#8a3fc0", "#c792f5"],
  ["#b3264a", "#ff7d98"],
  ["#5f6b76", "#b4bfc9"],
];
const MARKS = [
  (x, y) => `<circle cx="${x}" cy="${y}" r="4"/>`,
  (x, y) => `<rect x="${x - 3.5}" y="${y - 3.5}" width="7" height="7"/>`,
  (x, y) => `<path d="M${x} ${y - 5} l5 8.5 h-10 z"/>`,
  (x, y) => `<path d="M${x} ${y - 5} l5 5 l-5 5 l-5 -5 z"/>`,
];

const STYLE = `
  .chart { font: 12px system-ui, sans-serif; fill: #24292f; }
  .chart .ground { fill: #fff; }
  .chart .title { font-size: 15px; font-weight: 600; }
  .chart .grid { stroke: #d0d7de; stroke-width: 1; }
  .chart .minor { stroke: #eaeef2; stroke-width: 1; }
  .chart .line { fill: none; stroke-width: 2; }
  ${COLOURS.map(([light], at) => `.chart .s${at} { stroke: ${light}; } .chart .m${at} { fill: ${light}; }`).join("\n  ")}
  @media (prefers-color-scheme: dark) {
    .chart { fill: #e6edf3; }
    .chart .ground { fill: #0d1117; }
    .chart .grid { stroke: #3d444d; }
    .chart .minor { stroke: #21262d; }
    ${COLOURS.map(([, dark], at) => `.chart .s${at} { stroke: ${dark}; } .chart .m${at} { fill: ${dark}; }`).join("\n    ")}
  }
`;

/**
 * A chart as an SVG document. `series` are `{ label, points: [{ x, y }] }` with values above zero; `unit` belongs to y.
 * Null when no series has a point.
 */
export function renderChart({ title, unit, xTitle, series }) {
  const drawn = series.filter(({ points }) => points.length > 0);
  if (drawn.length === 0) return null;
  const points = drawn.flatMap((one) => one.points);
  const x = axis(
    points.map((point) => point.x),
    FRAME.left,
    WIDTH - FRAME.right,
  );
  const y = axis(
    points.map((point) => point.y),
    HEIGHT - FRAME.bottom,
    FRAME.top,
  );
  const name = escape(title);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${name}">`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${WIDTH}" height="${HEIGHT}"/>`,
    `<text class="title" x="16" y="26">${name}</text>`,
    ...legend(drawn),
    ...horizontal(y),
    ...vertical(x),
    `<text x="16" y="${FRAME.top - 10}">${escape(unit)}</text>`,
    `<text x="${WIDTH - FRAME.right}" y="${HEIGHT - 8}" text-anchor="end">${escape(xTitle)}</text>`,
    ...drawn.map((one, at) => drawSeries(one, { at, x, y })),
    "</svg>",
    "",
  ].join("\n");
}

/** Whole decades, or 1-2-5 steps around values that span less than two decades. */
function axis(values, from, to) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const steps = most / least >= 100 ? [1] : [1, 2, 5];
  const ticks = ticksAround(least, most, steps);
  const [low, high] = [Math.log10(ticks[0]), Math.log10(ticks.at(-1))];
  const placeOf = (value) => round(from + ((Math.log10(value) - low) / (high - low)) * (to - from));
  return { ticks, placeOf };
}

function ticksAround(least, most, steps) {
  const all = [];
  for (let power = Math.floor(Math.log10(least)) - 1; power <= Math.ceil(Math.log10(most)) + 1; power++)
    for (const step of steps) all.push(Number((step * 10 ** power).toPrecision(3)));
  const first = all.findLastIndex((tick) => tick <= least);
  const last = all.findIndex((tick) => tick >= most);
  return all.slice(first, Math.max(last, first + 1) + 1);
}

function horizontal({ ticks, placeOf }) {
  return ticks.map((tick) => {
    const y = placeOf(tick);
    const line = `<line class="grid" x1="${FRAME.left}" x2="${WIDTH - FRAME.right}" y1="${y}" y2="${y}"/>`;
    return `${line}<text x="${FRAME.left - 8}" y="${y + 4}" text-anchor="end">${tick.toLocaleString("en")}</text>`;
  });
}

function vertical({ ticks, placeOf }) {
  return ticks.map((tick) => {
    const x = placeOf(tick);
    const line = `<line class="minor" x1="${x}" x2="${x}" y1="${FRAME.top}" y2="${HEIGHT - FRAME.bottom}"/>`;
    return `${line}<text x="${x}" y="${HEIGHT - FRAME.bottom + 18}" text-anchor="middle">${tick.toLocaleString("en")}</text>`;
  });
}

function legend(series) {
  const widths = series.map(({ label }) => 34 + label.length * 6.4);
  return series.map(({ label }, at) => {
    const x = round(24 + widths.slice(0, at).reduce((sum, width) => sum + width, 0));
    const mark = `<g class="m${at % COLOURS.length}">${MARKS[at % MARKS.length](x, 44)}</g>`;
    return `${mark}<text x="${x + 10}" y="48">${escape(label)}</text>`;
  });
}

function drawSeries({ label, points }, { at, x, y }) {
  const places = [...points]
    .sort((a, b) => a.x - b.x)
    .map((point) => ({ ...point, px: x.placeOf(point.x), py: y.placeOf(point.y) }));
  const path = places.map(({ px, py }) => `${px},${py}`).join(" ");
  const marks = places.map((place) => {
    const tip = `<title>${escape(`${label}, ${place.x.toLocaleString("en")}: ${format(place.y)}`)}</title>`;
    return `<g>${tip}${MARKS[at % MARKS.length](place.px, place.py)}</g>`;
  });
  const colour = at % COLOURS.length;
  return `<polyline class="line s${colour}" points="${path}"/><g class="m${colour}">${marks.join("")}</g>`;
}

function round(value) {
  return Math.round(value * 10) / 10;
}

/** Text escaped for SVG and HTML. */
export function escape(text) {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replaceAll(/[&<>"]/g, (sign) => entities[sign]);
}
