/**
 * Draws the icons of the installed dashboard, from the shapes of `web/icon.svg`, into `web/public`. Run it by hand when
 * the shapes change: node scripts/icons.mjs
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { root } from "./ensure.mjs";

/** The bell, in a square of 16. */
const inBell = (x, y) =>
  (y <= 12 && (x - 8) ** 2 + (y - 12) ** 2 <= 36) ||
  (x >= 1 && x <= 15 && y >= 13 && y <= 14) ||
  (x >= 7 && x <= 9 && y >= 4 && y <= 6);
/** Each pixel is looked at this often in both directions. */
const FINENESS = 4;
const GOLD = [0xe5, 0xb4, 0x54];
const GROUND = [0x1e, 0x1e, 0x21];
const WHITE = [0xff, 0xff, 0xff];

/** `share`: how much of the square the bell takes. A maskable icon may be cut to a circle of 80 %. */
const ICONS = [
  { name: "icon-192", size: 192, share: 0.72, ground: "rounded", bell: GOLD },
  { name: "icon-512", size: 512, share: 0.72, ground: "rounded", bell: GOLD },
  { name: "icon-maskable-512", size: 512, share: 0.52, ground: "whole", bell: GOLD },
  { name: "apple-touch-icon", size: 180, share: 0.62, ground: "whole", bell: GOLD },
  { name: "badge-96", size: 96, share: 0.9, ground: "none", bell: WHITE },
];

for (const icon of ICONS)
  await writeFile(
    join(root, "web", "public", `${icon.name}.png`),
    png(icon.size, (x, y) => colour(icon, x, y)),
  );

/** Of the point, from 0 to 1 in both directions: red, green, blue, and how opaque. */
function colour({ share, ground, bell }, x, y) {
  // The bell is drawn between 4 and 14: its middle is not the square's.
  const [bellX, bellY] = [8 + ((x - 0.5) / share) * 16, 9 + ((y - 0.5) / share) * 16];
  if (inBell(bellX, bellY)) return [...bell, 1];
  if (ground === "none" || (ground === "rounded" && !inRounded(x, y))) return [0, 0, 0, 0];
  return [...GROUND, 1];
}

function inRounded(x, y) {
  const radius = 0.2;
  const past = (at) => Math.max(0, Math.abs(at - 0.5) - (0.5 - radius));
  return past(x) ** 2 + past(y) ** 2 <= radius ** 2;
}

function png(size, at) {
  const rows = Buffer.alloc(size * (1 + size * 4));
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) rows.set(pixel(size, x, y, at), y * (1 + size * 4) + 1 + x * 4);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size);
  head.writeUInt32BE(size, 4);
  head.set([8, 6], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function pixel(size, x, y, at) {
  const sum = [0, 0, 0, 0];
  for (let row = 0; row < FINENESS; row += 1)
    for (let column = 0; column < FINENESS; column += 1) {
      const [red, green, blue, opacity] = at(
        (x + (column + 0.5) / FINENESS) / size,
        (y + (row + 0.5) / FINENESS) / size,
      );
      for (const [index, part] of [red, green, blue].entries()) sum[index] += part * opacity;
      sum[3] += opacity;
    }
  const opacity = sum[3];
  const parts = opacity === 0 ? [0, 0, 0] : sum.slice(0, 3).map((part) => Math.round(part / opacity));
  return [...parts, Math.round((opacity / FINENESS ** 2) * 255)];
}

function chunk(type, bytes) {
  const whole = Buffer.concat([Buffer.from(type, "latin1"), bytes]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(bytes.length);
  sum.writeUInt32BE(crc32(whole));
  return Buffer.concat([length, whole, sum]);
}
