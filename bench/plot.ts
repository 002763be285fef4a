/** A small plot as SVG that stands alone: sizes in equal steps, cost on a logarithmic scale, for light and dark pages. */
export interface Curve {
  readonly work: string;
  readonly unit: string;
  /** One for each size; not a number where it was not measured. */
  readonly figures: readonly number[];
}

const WIDTH = 480;
const LEFT = 48;
const RIGHT = 16;
const TOP = 34;
const PLOT_HEIGHT = 150;
const LEGEND_ROW = 18;
const BOTTOM = TOP + PLOT_HEIGHT;
/** Each readable on white and on a dark page. */
const COLOURS = ["#2f81f7", "#d9730d", "#2da44e", "#bf4bd6"] as const;
const DASHES = ["", "6 3", "2 3", "8 3 2 3"] as const;
const STYLE =
  "text{font:12px system-ui,sans-serif;fill:#57606a}.line{stroke:#d0d7de}" +
  "@media(prefers-color-scheme:dark){text{fill:#9da7b3}.line{stroke:#3d444d}}";

export const plotTitle = (axis: string): string => `Cost by number of ${axis}, as a multiple of the smallest`;

/** What each size costs as a multiple of the smallest: a flat line does not grow. */
export function plot(title: string, sizes: readonly number[], curves: readonly Curve[]): string {
  const ratios = curves.map(({ figures }) => {
    const smallest = figures.find(isMeasured) ?? Number.NaN;
    return figures.map((value) => value / smallest);
  });
  const low = Math.min(0.5, ...ratios.flat().filter(isMeasured));
  const high = Math.max(10, ...ratios.flat().filter(isMeasured));
  const across = (index: number) => LEFT + ((WIDTH - LEFT - RIGHT) * index) / Math.max(1, sizes.length - 1);
  const up = (ratio: number) =>
    BOTTOM - (PLOT_HEIGHT * (Math.log(ratio) - Math.log(low))) / (Math.log(high) - Math.log(low));
  const height = BOTTOM + 30 + curves.length * LEGEND_ROW;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title><style>${STYLE}</style>`,
    `<text x="${LEFT}" y="18">${escaped(title)}</text>`,
    ...ticks(low, high).flatMap((ratio) => [
      `<line class="line" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${round(up(ratio))}" y2="${round(up(ratio))}"/>`,
      `<text x="${LEFT - 6}" y="${round(up(ratio) + 4)}" text-anchor="end">${ratio}×</text>`,
    ]),
    ...sizes.map(
      (size, index) =>
        `<text x="${round(across(index))}" y="${BOTTOM + 18}" text-anchor="${anchor(index, sizes.length)}">${size.toLocaleString("en")}</text>`,
    ),
    ...ratios.flatMap((line, number) => curveParts(line, number, across, up)),
    ...curves.map((curve, number) => legend(curve, number)),
    "</svg>",
  ];
  return `${parts.join("\n")}\n`;
}

function curveParts(
  line: readonly number[],
  number: number,
  across: (index: number) => number,
  up: (ratio: number) => number,
): readonly string[] {
  const points = line.flatMap((ratio, index) =>
    isMeasured(ratio) ? [[round(across(index)), round(up(ratio))] as const] : [],
  );
  const colour = COLOURS[number % COLOURS.length];
  return [
    `<polyline fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="${DASHES[number % DASHES.length]}" points="${points.map((point) => point.join(",")).join(" ")}"/>`,
    ...points.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3" fill="${colour}"/>`),
  ];
}

function legend({ work, unit, figures }: Curve, number: number): string {
  const y = BOTTOM + 42 + number * LEGEND_ROW;
  const colour = COLOURS[number % COLOURS.length];
  return (
    `<line x1="${LEFT}" x2="${LEFT + 24}" y1="${y - 4}" y2="${y - 4}" stroke="${colour}" stroke-width="2" stroke-dasharray="${DASHES[number % DASHES.length]}"/>` +
    `<text x="${LEFT + 32}" y="${y}">${escaped(work)}: ${figures.filter(isMeasured).join(" → ")} ${escaped(unit)}</text>`
  );
}

/** Powers of ten from the first inside to the last. */
function ticks(low: number, high: number): readonly number[] {
  const from = Math.ceil(Math.log10(low) - 1e-9);
  const to = Math.floor(Math.log10(high) + 1e-9);
  return Array.from({ length: to - from + 1 }, (_, index) => Number((10 ** (from + index)).toPrecision(1)));
}

function anchor(index: number, count: number): string {
  return index === 0 ? "start" : index === count - 1 ? "end" : "middle";
}

const isMeasured = (value: number): boolean => !Number.isNaN(value);

const round = (value: number): number => Math.round(value * 10) / 10;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
