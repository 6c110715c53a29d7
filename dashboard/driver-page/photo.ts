import type { DriverState } from '../../api/public/driver/driver-contract.js';

/** The longest side of a sent picture, in pixels. */
const MAX_SIDE = 1600;
const QUALITY = 0.82;

export interface ShrunkPhoto {
  type: string;
  data: ArrayBuffer;
}

/**
 * Shrinks a picture for a mobile network. This also removes the place and the time that the camera
 * wrote into the file.
 * @throws {Error} with a text for the driver
 */
export async function shrinkPhoto(file: File, limits: DriverState['photos']): Promise<ShrunkPhoto> {
  const blob = (await drawSmaller(file)) ?? file;
  if (blob.size > limits.max_bytes) throw new Error(`${file.name} is too large. Take the photo again.`);
  if (!limits.types.includes(blob.type))
    throw new Error(`${file.name} is not a photo that this phone can send. Take a JPEG photo.`);
  return { type: blob.type, data: await blob.arrayBuffer() };
}

/** Returns undefined if the browser cannot draw the picture. */
async function drawSmaller(file: File): Promise<Blob | undefined> {
  try {
    const picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const scale = Math.min(1, MAX_SIDE / Math.max(picture.width, picture.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(picture.width * scale);
    canvas.height = Math.round(picture.height * scale);
    canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    const drawn = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY));
    return drawn ?? undefined;
  } catch {
    return undefined;
  }
}
