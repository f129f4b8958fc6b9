import { type Motif, motifs, type TileColors } from './mosaic-motifs.ts';

/*
 * Draws a mosaic of square tiles, the picture of an event that has no poster. The same seed and category always give the same drawing. There
 * is no text in it, so it needs no fonts, and it has no ids, so a page can contain several.
 */

interface Style {
  /** The joints between the tiles. */
  joints: string;
  colors: readonly string[];
  /** For the one large tile. */
  heroes: readonly Motif[];
  /** For the tiles of 2 × 2. Single tiles have simpler motifs. */
  motifs: readonly Motif[];
  simple: readonly Motif[];
}

const styles: Partial<Record<string, Style>> = {
  music: {
    joints: '#1a1033',
    colors: ['#2d1b69', '#5b2be0', '#ff6b6b', '#ffc8a2', '#f7f0ff'],
    heroes: ['bullseye', 'equalizer'],
    motifs: ['rings', 'rings', 'stripes', 'half', 'quarter'],
    simple: ['quarter', 'quarter', 'disc', 'dome', 'plain', 'dots'],
  },
  festivals: {
    joints: '#10233f',
    colors: ['#ff8a1f', '#ffc93c', '#e5386d', '#14a098', '#fff4dc'],
    heroes: ['sun', 'sunrise', 'star'],
    motifs: ['fan', 'rings', 'half', 'quarter', 'eye'],
    simple: ['triangle', 'triangle', 'quarter', 'disc', 'leaf', 'plain'],
  },
  theater: {
    joints: '#23060f',
    colors: ['#7d1128', '#c1121f', '#e9b44c', '#f4d6c6', '#3c0d1d'],
    heroes: ['stage', 'arch'],
    motifs: ['arch', 'arch', 'stripes', 'leaf', 'eye'],
    simple: ['leaf', 'dome', 'quarter', 'plain', 'stripes'],
  },
  sports: {
    joints: '#06281f',
    colors: ['#0b6e4f', '#2fbf71', '#f2f5de', '#f26419', '#12355b'],
    heroes: ['ball', 'track'],
    motifs: ['stripes', 'quarter', 'rings', 'triangle', 'checker'],
    simple: ['triangle', 'triangle', 'quarter', 'disc', 'plain'],
  },
  conferences: {
    joints: '#0b1f33',
    colors: ['#1463c4', '#4da8ff', '#bfe3ff', '#38d6ae', '#f5f9ff'],
    heroes: ['orbits', 'overlap'],
    motifs: ['dots', 'checker', 'rings', 'quarter'],
    simple: ['quarter', 'disc', 'dome', 'plain', 'plain', 'triangle'],
  },
  comedy: {
    joints: '#2a1a00',
    colors: ['#ffb703', '#ff6f91', '#fb5607', '#2ec4b6', '#fff6e0'],
    heroes: ['smile', 'microphone'],
    motifs: ['half', 'scallops', 'rings', 'dots'],
    simple: ['dome', 'disc', 'quarter', 'plain', 'dome'],
  },
  food: {
    joints: '#2b1a12',
    colors: ['#6a994e', '#bc4749', '#f2c14e', '#f6ead2', '#5f2a41'],
    heroes: ['rosette', 'citrus'],
    motifs: ['leaf', 'eye', 'scallops', 'half', 'quarter'],
    simple: ['leaf', 'leaf', 'quarter', 'disc', 'plain'],
  },
};

export interface Mosaic {
  /** What the drawing depends on, such as the link of the event. */
  seed: string;
  /** The slug of the category. Categories without a style of their own get one of the others. */
  category: string;
  /** The size in tiles. Default: a poster of 8 × 10 tiles. */
  columns?: number;
  rows?: number;
}

/** The length of the side of the smallest tile, and the width of the joints, in the units of the drawing. */
const unit = 40;
const joint = 2;

/** Returns an SVG document. */
export function drawMosaic({ seed, category, columns = 8, rows = 10 }: Mosaic): string {
  const random = randomOf(`${category}/${seed}`);
  const style = styleOf(category);
  const grounds = new Map<string, string>();
  const drawn = layTiles(columns, rows, random).map((tile) => drawTile(tile, style, grounds, random));
  const [width, height] = [columns * unit, rows * unit];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><path fill="${style.joints}" d="M0 0h${width}v${height}H0z"/>${drawn.join('')}</svg>`;
}

function styleOf(category: string): Style {
  const own = Object.hasOwn(styles, category) ? styles[category] : undefined;
  return own ?? (Object.values(styles)[hashOf(category) % Object.keys(styles).length] as Style);
}

interface Tile {
  x: number;
  y: number;
  size: number;
}

type Random = () => number;

const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)] as T;

const cellsOf = ({ x, y, size }: Tile): string[] =>
  Array.from({ length: size * size }, (_, i) => `${x + (i % size)},${y + Math.floor(i / size)}`);

/** Covers the area without gaps: large tiles near the middle, which every crop shows, then tiles of 2 × 2, then single tiles. */
function layTiles(columns: number, rows: number, random: Random): Tile[] {
  const taken = new Set<string>();
  const tiles: Tile[] = [];
  const lay = (tile: Tile): void => {
    const { x, y, size } = tile;
    if (x < 0 || y < 0 || x + size > columns || y + size > rows || cellsOf(tile).some((cell) => taken.has(cell))) return;
    for (const cell of cellsOf(tile)) taken.add(cell);
    tiles.push(tile);
  };
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  for (let left = 0; left + 8 <= columns; left += 8) {
    const size = 4 + upTo(1);
    lay({ x: left + upTo(8 - size), y: Math.floor((rows - size) / 2) + upTo((rows - size) % 2), size });
  }
  for (let i = 0; i < columns * rows; i++) lay({ x: upTo(columns - 2), y: upTo(rows - 2), size: 2 });
  for (let i = 0; i < columns * rows; i++) lay({ x: i % columns, y: Math.floor(i / columns), size: 1 });
  return tiles;
}

function drawTile(tile: Tile, style: Style, grounds: Map<string, string>, random: Random): string {
  const { x, y, size } = tile;
  const isHero = size > 2;
  const motif = pick(isHero ? style.heroes : size === 2 ? style.motifs : style.simple, random);
  const colors = pickColors(style.colors, neighboursOf(tile, grounds), random);
  for (const cell of cellsOf(tile)) grounds.set(cell, colors.ground);
  const side = size * unit - joint;
  const turn = isHero ? 0 : 90 * Math.floor(random() * 4);
  const place = `translate(${x * unit + joint / 2} ${y * unit + joint / 2})${turn === 0 ? '' : ` rotate(${turn} ${side / 2} ${side / 2})`}`;
  return `<g transform="${place}"><path fill="${colors.ground}" d="M0 0h${side}v${side}H0z"/>${motifs[motif](side, colors)}</g>`;
}

/** The ground colours of the tiles that touch this tile. */
function neighboursOf({ x, y, size }: Tile, grounds: ReadonlyMap<string, string>): Set<string | undefined> {
  const around = Array.from({ length: size }, (_, i) => [
    `${x + i},${y - 1}`,
    `${x + i},${y + size}`,
    `${x - 1},${y + i}`,
    `${x + size},${y + i}`,
  ]);
  return new Set(around.flat().map((cell) => grounds.get(cell)));
}

/** Picks a ground that no neighbour has, and figures that contrast with it. */
function pickColors(colors: readonly string[], neighbours: ReadonlySet<string | undefined>, random: Random): TileColors {
  const free = colors.filter((color) => !neighbours.has(color));
  const ground = pick(free.length > 0 ? free : colors, random);
  const contrast = (color: string) => Math.abs(lightnessOf(color) - lightnessOf(ground));
  const others = colors.filter((color) => color !== ground).toSorted((a, b) => contrast(b) - contrast(a));
  const figure = pick(others.slice(0, 2), random);
  return { ground, figure, accent: pick(others.filter((color) => color !== figure).slice(0, 2), random) };
}

function lightnessOf(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [number, number, number];
  return 0.3 * red + 0.59 * green + 0.11 * blue;
}

/** FNV-1a, a hash for short texts. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}

/** Mulberry32, a generator of numbers between 0 and 1 that depend only on the seed. */
function randomOf(seed: string): Random {
  let state = hashOf(seed);
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
