import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { crc32, inflate } from 'node:zlib';

/** Maximum size of a logo's file. The table `account_logos` has the same limit. */
export const MAX_LOGO_BYTES = 256 * 1024;
/**
 * Maximum width and height. A small file can contain a huge picture, and drawing a PDF decompresses
 * the picture.
 */
export const MAX_LOGO_PIXELS = 2000;

export const LOGO_TYPES = ['image/png', 'image/jpeg'] as const;
export type LogoType = (typeof LOGO_TYPES)[number];

export interface LogoImage {
  content_type: LogoType;
  width: number;
  height: number;
  /** Hexadecimal. */
  sha256: string;
  data: Buffer;
}

interface Size {
  width: number;
  height: number;
}

/** The bytes are not a valid logo. The client sees `message`. */
export class InvalidLogoError extends Error {
  override readonly name = 'InvalidLogoError';
}

/**
 * Checks the bytes of a logo and reads the picture's size. Also decompresses a PNG, so that a
 * broken picture is refused here and does not break the PDF of each invoice.
 * @throws {InvalidLogoError}
 */
export async function readLogoImage(contentType: LogoType, bytes: Buffer): Promise<LogoImage> {
  const { size, end } = contentType === 'image/png' ? await readPng(bytes) : readJpeg(bytes);
  // Drop the bytes after the picture's end, because a program could read them as another kind of
  // file.
  const data = bytes.subarray(0, end);
  const sha256 = createHash('sha256').update(data).digest('hex');
  return { content_type: contentType, ...size, sha256, data };
}

function checkSize({ width, height }: Size): Size {
  if (width < 1 || height < 1 || width > MAX_LOGO_PIXELS || height > MAX_LOGO_PIXELS)
    throw new InvalidLogoError(`The picture must be at most ${MAX_LOGO_PIXELS} × ${MAX_LOGO_PIXELS} pixels`);
  return { width, height };
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Number of samples per pixel, by color type (PNG, section 11.2.1). */
const PNG_SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Bytes of a chunk besides its data: length, type and checksum. */
const CHUNK_FRAME = 12;

const BROKEN_PNG = 'The body is not a complete PNG picture';
const BROKEN_JPEG = 'The body is not a complete JPEG picture';

const inflateAsync = promisify(inflate);

async function readPng(bytes: Buffer): Promise<{ size: Size; end: number }> {
  if (!bytes.subarray(0, 8).equals(PNG_SIGNATURE)) throw new InvalidLogoError(BROKEN_PNG);
  const compressed: Buffer[] = [];
  let header: Buffer | undefined;
  let palette = false;
  for (let at = 8; at + CHUNK_FRAME <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const end = at + CHUNK_FRAME + length;
    if (end > bytes.length) break;
    const type = bytes.toString('latin1', at + 4, at + 8);
    const data = bytes.subarray(at + 8, end - 4);
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) break;
    if ((type === 'IHDR') !== (header === undefined)) break;
    if (type === 'IHDR') header = data;
    if (type === 'PLTE') palette = true;
    if (type === 'IDAT') compressed.push(data);
    if (type === 'IEND' && header) {
      return { size: await checkPixels(header, { compressed: Buffer.concat(compressed), palette }), end };
    }
    at = end;
  }
  throw new InvalidLogoError(BROKEN_PNG);
}

async function checkPixels(
  header: Buffer,
  { compressed, palette }: { compressed: Buffer; palette: boolean },
): Promise<Size> {
  if (header.length !== 13) throw new InvalidLogoError(BROKEN_PNG);
  const size = checkSize({ width: header.readUInt32BE(0), height: header.readUInt32BE(4) });
  const [depth = 0, color = -1, compression, filter, interlace] = header.subarray(8);
  const samples = PNG_SAMPLES[color];
  if (!samples || ![1, 2, 4, 8, 16].includes(depth) || compression !== 0 || filter !== 0)
    throw new InvalidLogoError(BROKEN_PNG);
  if (color === 3 && !palette) throw new InvalidLogoError(BROKEN_PNG);
  if (interlace !== 0) throw new InvalidLogoError('The picture is interlaced. Save it without interlacing');
  if (depth > 8) throw new InvalidLogoError('The picture has 16 bits per channel. Save it with 8');
  const expected = size.height * (1 + Math.ceil((size.width * samples * depth) / 8));
  const pixels = await inflateAsync(compressed, { maxOutputLength: expected }).catch(() => undefined);
  if (pixels?.length !== expected) throw new InvalidLogoError(BROKEN_PNG);
  return size;
}

/**
 * The kinds of JPEG frames that PDF viewers can draw: baseline, extended and progressive (ITU-T
 * T.81, table B.1).
 */
const FRAMES = [0xc0, 0xc1, 0xc2];
const START_OF_SCAN = 0xda;

function readJpeg(bytes: Buffer): { size: Size; end: number } {
  const end = bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) + 2;
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8 || end < 4) throw new InvalidLogoError(BROKEN_JPEG);
  let size: Size | undefined;
  for (let at = 2; at + 4 <= end; ) {
    if (bytes[at] !== 0xff) break;
    const marker = bytes[at + 1] as number;
    const length = bytes.readUInt16BE(at + 2);
    const data = bytes.subarray(at + 4, at + 2 + length);
    if (FRAMES.includes(marker)) size = readFrame(data);
    if (marker === START_OF_SCAN && size) return { size, end };
    if (length < 2) break;
    at += 2 + length;
  }
  throw new InvalidLogoError(BROKEN_JPEG);
}

function readFrame(data: Buffer): Size {
  if (data.length < 6 || data[0] !== 8) throw new InvalidLogoError(BROKEN_JPEG);
  if (data[5] !== 1 && data[5] !== 3)
    throw new InvalidLogoError('The picture must be in RGB or gray, not CMYK');
  return checkSize({ width: data.readUInt16BE(3), height: data.readUInt16BE(1) });
}
