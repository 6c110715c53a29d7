import { crc32, deflateSync } from 'node:zlib';

type Color = readonly [red: number, green: number, blue: number];

const WIDTH = 240;
const HEIGHT = 120;
const WHITE: Color = [255, 255, 255];
const DARK: Color = [34, 34, 34];

export function drawTruckLogo(color: Color): Buffer {
  return encodePng({ width: WIDTH, height: HEIGHT }, (x, y) => {
    for (const wheel of [70, 180]) {
      const distance = Math.hypot(x - wheel, y - 92);
      if (distance < 8) return WHITE;
      if (distance < 20) return DARK;
    }
    const isWindow = x > 168 && x < 196 && y > 38 && y < 58;
    if (isWindow) return WHITE;
    const isCab = x > 140 && x < 212 && y > 28 + Math.max(0, x - 196) && y < 92;
    const isBed = x > 30 && x < 212 && y > 68 && y < 92;
    const isBoom = x > 24 && x < 130 && Math.abs(y - (24 + (x - 24) * 0.44)) < 5;
    const isHook = Math.abs(x - 28) < 3 && y > 24 && y < 56;
    if (isCab || isBed) return color;
    return isBoom || isHook ? DARK : WHITE;
  });
}

/** Encodes an image of opaque RGB pixels as a PNG (ISO/IEC 15948). */
export function encodePng(
  { width, height }: { width: number; height: number },
  colorAt: (x: number, y: number) => Color,
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Bit depth 8, color type 2 (RGB).
  header.set([8, 2], 8);
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: width }, (_, x) => colorAt(x, y)).flat()]),
  );
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    encodePngChunk('IHDR', header),
    encodePngChunk('IDAT', deflateSync(Buffer.concat(rows))),
    encodePngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Encodes one chunk of a PNG file: length, type, data and checksum. */
export function encodePngChunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
