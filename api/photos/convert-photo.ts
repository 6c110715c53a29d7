import { createHash } from 'node:crypto';
import { AppError, serviceUnavailable } from '../../shared/platform/errors.js';
import { createFairLimit, TooManyWaitingError } from '../../shared/platform/limits/fair-limit.js';

/** Maximum size of the file that a client sends. */
export const MAX_PHOTO_BYTES = 10 * 1024 * 1024;
export const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp'] as const;

/**
 * Maximum number of pixels. A small file can contain a huge picture, and some file types must be
 * decompressed as a whole. Today's phones take pictures of 48 megapixels.
 */
const MAX_PIXELS = 50_000_000;
/** The longest side of a stored photo, in pixels. */
const MAX_SIDE = 2048;
const QUALITY = 80;
const TIMEOUT_SECONDS = 20;

/** A photo as it is stored: a JPEG without the camera's metadata. */
export interface ConvertedPhoto {
  content_type: 'image/jpeg';
  width: number;
  height: number;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
  data: Buffer;
}

/**
 * Converts one photo at a time, because a conversion takes up to 200 MiB and a whole core. Accounts
 * share the capacity fairly, so an account with many photos does not block the others.
 */
const limit = createFairLimit({
  queues: ['photos'],
  maxRunning: 1,
  maxQueued: 60,
  maxQueuedPerGroup: 12,
  maxWaitMs: 30_000,
});

/**
 * Encodes a photo again as a JPEG: upright, not larger than needed, and without metadata such as
 * the location. This also removes hidden content of the file, such as a script.
 * @param tenantId the account whose fair share the conversion uses
 * @throws {AppError} 400 if the file is no valid photo; 503 if too many photos wait
 */
export async function convertPhoto(tenantId: string, file: Buffer): Promise<ConvertedPhoto> {
  if (!hasPhotoSignature(file)) throw refusePhoto('The body is not a JPEG, PNG or WebP photo');
  try {
    return await limit.run({ queue: 'photos', group: tenantId }, () => redraw(file));
  } catch (error) {
    if (error instanceof TooManyWaitingError)
      throw serviceUnavailable('Too many photos are waiting. Send this one again in a moment.', error);
    throw error;
  }
}

async function redraw(file: Buffer): Promise<ConvertedPhoto> {
  // Import the library with the first photo, because it takes 30 MiB.
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  try {
    const { data, info } = await sharp(file, { limitInputPixels: MAX_PIXELS, failOn: 'error', pages: 1 })
      .autoOrient()
      .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#fff' })
      .jpeg({ quality: QUALITY })
      .timeout({ seconds: TIMEOUT_SECONDS })
      .toBuffer({ resolveWithObject: true });
    const { width, height } = info;
    const sha256 = createHash('sha256').update(data).digest('hex');
    return { content_type: 'image/jpeg', width, height, bytes: data.length, sha256, data };
  } catch (error) {
    const isTooLarge = error instanceof Error && /pixel limit/.test(error.message);
    const most = `The photo has more than ${MAX_PIXELS / 1_000_000} million pixels`;
    throw refusePhoto(isTooLarge ? most : 'The photo is damaged or incomplete', error);
  }
}

/**
 * True if the file begins like a JPEG, PNG or WebP. The image library would also decode many other
 * formats, so this check keeps them out.
 */
function hasPhotoSignature(file: Buffer): boolean {
  const isJpeg = file.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]));
  const isPng = file.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
  const isWebp = file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 12) === 'WEBP';
  return isJpeg || isPng || isWebp;
}

function refusePhoto(message: string, cause?: unknown): AppError {
  return new AppError('validation_error', `${message}.`, {
    details: [{ field: '', code: 'invalid', message }],
    cause,
  });
}
