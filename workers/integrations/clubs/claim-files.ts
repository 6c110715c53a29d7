import { buffer } from 'node:stream/consumers';
import type { ClubFile } from '../../../shared/integrations/contract/motor-club.js';
import type { PartnerClaim } from '../../../shared/resources/claims/partner-queries.js';
import { openStorage } from '../../../shared/storage/open-storage.js';
import { drawInvoice } from '../evidence/evidence-files.js';
import type { Step } from '../vendor/step.js';

/** Limits of the photos that a partner gets. They also bound the memory that a step needs. */
const MAX_PHOTOS = 10;
const MAX_PHOTO_BYTES = 4_000_000;
const MAX_ALL_PHOTO_BYTES = 12_000_000;

const TYPES: readonly string[] = ['image/jpeg', 'image/png'];

/** Loads the invoice as a PDF, and the photos that fit. */
export async function loadClaimFiles(step: Step, claim: PartnerClaim): Promise<ClubFile[]> {
  const invoice = await drawInvoice(step, claim.invoice_id);
  const photos = await loadPhotos(step, claim.photos);
  const name = claim.invoice_number.replace(/[^\w.-]+/g, '-');
  return [
    ...(invoice
      ? [{ name: `invoice-${name}.pdf`, contentType: 'application/pdf' as const, data: invoice }]
      : []),
    ...photos,
  ];
}

async function loadPhotos({ services }: Step, photos: PartnerClaim['photos']): Promise<ClubFile[]> {
  const storage = openStorage(services.runtime.config.exportStorage);
  const files: ClubFile[] = [];
  let left = MAX_ALL_PHOTO_BYTES;
  for (const { object_key, content_type, bytes } of photos) {
    const isFitting = bytes <= Math.min(left, MAX_PHOTO_BYTES) && files.length < MAX_PHOTOS;
    if (!isFitting || !TYPES.includes(content_type)) continue;
    const object = await storage.open(object_key);
    if (!object) continue;
    left -= bytes;
    const contentType = content_type as 'image/jpeg' | 'image/png';
    const ending = contentType === 'image/png' ? 'png' : 'jpg';
    files.push({
      name: `photo-${files.length + 1}.${ending}`,
      contentType,
      data: await buffer(object.stream),
    });
  }
  return files;
}
