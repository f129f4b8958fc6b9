/** The colours of a tile: its ground, its figure and an accent. */
export interface TileColors {
  ground: string;
  figure: string;
  accent: string;
}

type Draw = (size: number, colors: TileColors) => string;

const short = (value: number): string => String(Math.round(value * 10) / 10);

/** Rounds the numbers of the path, because a page may contain the drawing. */
const shape = (fill: string, path: string): string =>
  `<path fill="${fill}" d="${path.replaceAll(/-?\d+\.\d+/g, (number) => short(Number(number)))}"/>`;

const circle = (fill: string, x: number, y: number, radius: number): string =>
  `<circle fill="${fill}" cx="${short(x)}" cy="${short(y)}" r="${short(radius)}"/>`;

/** A quarter of a disc around the upper left corner. */
const quarter = (fill: string, radius: number): string => shape(fill, `M0 0h${radius}A${radius} ${radius} 0 0 1 0 ${radius}z`);

/** The overlap of two quarters, from the upper left to the lower right of a square. */
const leaf = (fill: string, x: number, y: number, size: number): string =>
  shape(fill, `M${x} ${y}a${size} ${size} 0 0 1 ${size} ${size}a${size} ${size} 0 0 1 ${-size} ${-size}z`);

/** A half disc that stands on the line `y`. */
const dome = (fill: string, x: number, y: number, radius: number): string =>
  shape(fill, `M${x - radius} ${y}a${radius} ${radius} 0 0 1 ${radius * 2} 0z`);

/** A half disc that hangs from the line `y`. */
const bowl = (fill: string, x: number, y: number, radius: number): string =>
  shape(fill, `M${x - radius} ${y}a${radius} ${radius} 0 0 0 ${radius * 2} 0z`);

const doorway = (fill: string, size: number, inset: number): string => {
  const radius = size / 2 - inset;
  return shape(fill, `M${inset} ${size}V${size / 2}a${radius} ${radius} 0 0 1 ${radius * 2} 0V${size}z`);
};

interface Rays {
  center: [number, number];
  radius: number;
  count: number;
  /** The angles between which the rays are. The default is a full turn. */
  from?: number;
  to?: number;
  /** The part of the angle that the rays cover. The rest are the gaps between them. */
  share?: number;
}

function rays(fill: string, { center: [x, y], radius, count, from = 0, to = 2 * Math.PI, share = 0.5 }: Rays): string {
  const at = (step: number) => {
    const angle = from + ((to - from) * step) / count;
    return `${x + radius * Math.cos(angle)} ${y + radius * Math.sin(angle)}`;
  };
  return shape(fill, Array.from({ length: count }, (_, i) => `M${x} ${y}L${at(i + (1 - share) / 2)} ${at(i + (1 + share) / 2)}z`).join(''));
}

/** Dots in rows and columns, drawn as points of a thick line. */
function dots(fill: string, size: number, count: number, radius: number): string {
  const at = (i: number) => (size * (i * 2 + 1)) / (count * 2);
  const points = Array.from({ length: count * count }, (_, i) => `M${short(at(i % count))} ${short(at(Math.floor(i / count)))}h0`);
  return `<path stroke="${fill}" stroke-linecap="round" stroke-width="${short(radius * 2)}" d="${points.join('')}"/>`;
}

function checker(fill: string, size: number, count: number): string {
  const side = size / count;
  const squares = Array.from({ length: count * count }, (_, i) => [i % count, Math.floor(i / count)] as const)
    .filter(([x, y]) => (x + y) % 2 === 0)
    .map(([x, y]) => `M${x * side} ${y * side}h${side}v${side}h${-side}z`);
  return shape(fill, squares.join(''));
}

/** Bars that stand on the lower edge, with round tops. */
function bars(fill: string, size: number, heights: readonly number[]): string {
  const step = size / heights.length;
  const radius = step * 0.33;
  const drawn = heights.map((height, i) => {
    const x = i * step + step / 2 - radius;
    return `M${x} ${size}V${size * (1 - height) + radius}a${radius} ${radius} 0 0 1 ${radius * 2} 0V${size}z`;
  });
  return shape(fill, drawn.join(''));
}

const square = (fill: string, size: number, side: number): string => {
  const inset = (size - side) / 2;
  return shape(fill, `M${inset} ${inset}h${side}v${side}h${-side}z`);
};

/** The figures on the tiles. All of them stay inside a square with the corners (0, 0) and (size, size). */
export const motifs = {
  plain: () => '',
  quarter: (s, { figure }) => quarter(figure, s),
  disc: (s, { figure }) => circle(figure, s / 2, s / 2, s * 0.34),
  dome: (s, { figure }) => dome(figure, s / 2, s, s / 2),
  leaf: (s, { figure }) => leaf(figure, 0, 0, s),
  triangle: (s, { figure }) => shape(figure, `M0 0h${s}L0 ${s}z`),
  eye: (s, { figure, accent }) => leaf(figure, 0, 0, s) + circle(accent, s / 2, s / 2, s * 0.16),
  rings: (s, { ground, figure, accent }) =>
    quarter(figure, s) + quarter(ground, s * 0.76) + quarter(accent, s * 0.52) + quarter(ground, s * 0.28),
  half: (s, { figure, accent }) => dome(figure, s / 2, s, s / 2) + dome(accent, s / 2, s, s / 4),
  stripes: (s, { figure, accent }) =>
    shape(figure, `M${s / 7} 0h${s / 7}v${s}h${-s / 7}zM${(s * 5) / 7} 0h${s / 7}v${s}h${-s / 7}z`) +
    shape(accent, `M${(s * 3) / 7} 0h${s / 7}v${s}h${-s / 7}z`),
  dots: (s, { figure }) => dots(figure, s, 3, s * 0.09),
  checker: (s, { figure }) => checker(figure, s, 4),
  scallops: (s, { figure, accent }) => [0.25, 0.75].map((x) => dome(figure, s * x, s / 2, s / 4) + dome(accent, s * x, s, s / 4)).join(''),
  fan: (s, { figure, accent }) => rays(figure, { center: [0, 0], radius: s, count: 4, to: Math.PI / 2 }) + quarter(accent, s * 0.3),
  arch: (s, { ground, figure, accent }) =>
    doorway(figure, s, s * 0.06) + doorway(ground, s, s * 0.18) + doorway(accent, s, s * 0.28) + doorway(ground, s, s * 0.4),
  bullseye: (s, { ground, figure, accent }) =>
    [figure, ground, accent, ground, figure, ground].map((fill, i) => circle(fill, s / 2, s / 2, s * (0.47 - i * 0.08))).join('') +
    circle(accent, s / 2, s / 2, s * 0.03),
  equalizer: (s, { figure, accent }) =>
    bars(figure, s, [0.34, 0.62, 0.46, 0.86, 0.7, 0.5, 0.28]) + bars(accent, s, [0.16, 0.36, 0.22, 0.5, 0.4, 0.26, 0.12]),
  sun: (s, { ground, figure, accent }) =>
    rays(figure, { center: [s / 2, s / 2], radius: s * 0.48, count: 16 }) +
    circle(ground, s / 2, s / 2, s * 0.29) +
    circle(accent, s / 2, s / 2, s * 0.24),
  sunrise: (s, { ground, figure, accent }) =>
    rays(figure, { center: [s / 2, s * 0.68], radius: s * 0.5, count: 9, from: Math.PI }) +
    dome(ground, s / 2, s * 0.68, s * 0.32) +
    dome(accent, s / 2, s * 0.68, s * 0.26) +
    shape(figure, [0.73, 0.83, 0.93].map((y) => `M0 ${s * y}h${s}v${s * 0.05}h${-s}z`).join('')),
  star: (s, { ground, figure, accent }) =>
    square(figure, s, s * 0.62) +
    `<g transform="rotate(45 ${short(s / 2)} ${short(s / 2)})">${square(figure, s, s * 0.62)}</g>` +
    circle(ground, s / 2, s / 2, s * 0.25) +
    rays(accent, { center: [s / 2, s / 2], radius: s * 0.22, count: 8 }),
  stage: (s, { ground, figure, accent }) =>
    shape(figure, [0, 1, 2, 3, 4].map((i) => `M${(s * (i * 2 + 0.5)) / 10} 0h${s / 10}v${s}h${-s / 10}z`).join('')) +
    doorway(accent, s, s * 0.2) +
    doorway(ground, s, s * 0.25) +
    circle(figure, s / 2, s * 0.58, s * 0.14) +
    shape(accent, `M${s * 0.25} ${s * 0.86}h${s / 2}v${s * 0.05}h${-s / 2}z`),
  ball: (s, { ground, figure, accent }) =>
    shape(figure, `M0 ${s}L${s} 0v${s}z`) +
    circle(ground, s / 2, s / 2, s * 0.38) +
    circle(accent, s / 2, s / 2, s * 0.34) +
    leaf(ground, s * 0.26, s * 0.26, s * 0.48),
  track: (s, { ground, figure, accent }) =>
    [figure, ground, figure, ground, accent]
      .map((fill, i) => {
        const inset = s * (0.06 + i * 0.075);
        const radius = s * 0.3 - i * s * 0.055;
        return `<rect fill="${fill}" x="${short(inset)}" y="${short(inset)}" width="${short(s - inset * 2)}" height="${short(s - inset * 2)}" rx="${short(radius)}"/>`;
      })
      .join(''),
  orbits: (s, { ground, figure, accent }) =>
    [0.44, 0.36, 0.28].map((r, i) => circle(i % 2 === 0 ? figure : ground, s / 2, s / 2, s * r)).join('') +
    circle(accent, s * 0.5, s * 0.1, s * 0.07) +
    circle(accent, s * 0.85, s * 0.7, s * 0.07) +
    circle(accent, s * 0.15, s * 0.7, s * 0.07) +
    circle(ground, s / 2, s / 2, s * 0.13),
  overlap: (s, { figure, accent, ground }) => {
    const radius = s * 0.29;
    const rise = Math.sqrt(radius ** 2 - (s * 0.17) ** 2);
    const [x, top, bottom] = [s / 2, s / 2 - rise, s / 2 + rise];
    const lens = shape(ground, `M${x} ${top}A${radius} ${radius} 0 0 1 ${x} ${bottom}A${radius} ${radius} 0 0 1 ${x} ${top}z`);
    return circle(figure, s * 0.33, s / 2, radius) + circle(accent, s * 0.67, s / 2, radius) + lens;
  },
  smile: (s, { ground, figure, accent }) =>
    circle(figure, s / 2, s / 2, s * 0.46) +
    bowl(ground, s / 2, s * 0.54, s * 0.3) +
    bowl(accent, s / 2, s * 0.68, s * 0.13) +
    circle(ground, s * 0.36, s * 0.38, s * 0.055) +
    circle(ground, s * 0.64, s * 0.38, s * 0.055),
  microphone: (s, { figure, accent, ground }) =>
    shape(figure, `M${s * 0.38} ${s * 0.46}h${s * 0.24}L${s * 0.55} ${s}h${-s * 0.1}z`) +
    circle(accent, s / 2, s * 0.3, s * 0.22) +
    shape(ground, `M${s * 0.26} ${s * 0.44}h${s * 0.48}v${s * 0.045}h${-s * 0.48}z`) +
    shape(figure, `M${s * 0.3} ${s * 0.28}h${s * 0.4}v${s * 0.04}h${-s * 0.4}z`),
  rosette: (s, { figure, accent, ground }) => {
    const petal = leaf(figure, 0, 0, s / 2);
    const turned = [0, 90, 180, 270].map((angle) => `<g transform="rotate(${angle} ${short(s / 2)} ${short(s / 2)})">${petal}</g>`);
    return turned.join('') + circle(ground, s / 2, s / 2, s * 0.16) + circle(accent, s / 2, s / 2, s * 0.11);
  },
  citrus: (s, { figure, accent, ground }) =>
    circle(figure, s / 2, s / 2, s * 0.45) +
    circle(ground, s / 2, s / 2, s * 0.39) +
    rays(accent, { center: [s / 2, s / 2], radius: s * 0.36, count: 10, share: 0.82 }) +
    circle(ground, s / 2, s / 2, s * 0.05),
} satisfies Record<string, Draw>;

export type Motif = keyof typeof motifs;
