import { appErrorFromBody, serviceUnavailable } from '../../shared/platform/errors.js';
import { newId } from '../../shared/platform/ids.js';
import { createFairLimit, TooManyWaitingError } from '../../shared/platform/limits/fair-limit.js';
import type { WorkOrderPhotoInput } from '../../shared/resources/work-order-photos/commands.js';
import { findPhotoRoom, type PhotoRoom } from '../../shared/resources/work-order-photos/queries.js';
import { checkPhotoRoom } from '../../shared/resources/work-order-photos/room.js';
import { StorageError } from '../../shared/storage/storage.js';
import { createRawBodyReader } from '../middleware/body.js';
import type { ApiContext } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { type ConvertedPhoto, convertPhoto, MAX_PHOTO_BYTES, PHOTO_TYPES } from './convert-photo.js';

const readBytes = createRawBodyReader(PHOTO_TYPES, MAX_PHOTO_BYTES);

/** The whole photo must arrive within this time. */
const DEADLINE_MS = 60_000;

/**
 * The limits for photos in memory. A photo is in memory from its first byte until it is in storage.
 * At 10 MiB each, photos take at most 160 MiB together and 60 MiB per account.
 */
const limit = createFairLimit({
  queues: ['photos'],
  maxRunning: 16,
  maxRunningPerGroup: 6,
  maxQueued: 200,
  maxQueuedPerGroup: 20,
  // This time is longer than DEADLINE_MS, so that an upload behind slow uploads waits and is not
  // refused.
  maxWaitMs: 90_000,
});

/** The account and work order that receive the photo. */
export interface PhotoTarget {
  tenantId: string;
  workOrderId: string;
  takenAt: string | null;
  /** True if the photo must not be stored. */
  isDryRun: boolean;
  /**
   * True if the request has an Idempotency-Key. Even if the work order has no room for another
   * photo, {@link receivePhoto} then passes the photo on to the command. If an earlier request with
   * the same key has stored this photo, the command returns the response of that request. Otherwise
   * the command refuses the photo.
   */
  hasKey: boolean;
}

/**
 * Reads a photo from the request's body, encodes it again and puts it into storage. If the command
 * that then creates the photo fails, the storage cleaner deletes the file.
 * @throws {AppError} 400, 413 or 415 if the file is no valid photo; 409 if the work order has no
 *   room and the request has no key
 */
export async function receivePhoto(
  api: Pick<ApiRuntime, 'db' | 'storage'>,
  ctx: ApiContext,
  target: PhotoTarget,
): Promise<WorkOrderPhotoInput> {
  try {
    return await limit.run({ queue: 'photos', group: target.tenantId }, () => receive(api, ctx, target));
  } catch (error) {
    if (error instanceof TooManyWaitingError || error instanceof StorageError)
      throw serviceUnavailable('The photo cannot be stored right now. Send it again in a moment.', error);
    throw error;
  }
}

async function receive(
  { db, storage }: Pick<ApiRuntime, 'db' | 'storage'>,
  ctx: ApiContext,
  { tenantId, workOrderId, takenAt, isDryRun, hasKey }: PhotoTarget,
): Promise<WorkOrderPhotoInput> {
  const timer = setTimeout(() => ctx.req.destroy(new Error('late')), DEADLINE_MS);
  const file = await readBytes(ctx).finally(() => clearTimeout(timer));
  const { data, ...facts } = await convertPhoto(tenantId, file);
  const wanted = { tenant_id: tenantId, work_order_id: workOrderId, sha256: facts.sha256 };
  const [room] = await db.read<PhotoRoom>(tenantId, findPhotoRoom([wanted]));
  const error = checkPhotoRoom(room, facts.bytes);
  if (error && !hasKey) throw appErrorFromBody(error);
  const objectKey = error ? null : `${tenantId}/photos/${newId()}.jpg`;
  if (objectKey !== null && !isDryRun) await store(storage, objectKey, data);
  return { ...facts, work_order_id: workOrderId, object_key: objectKey, taken_at: takenAt };
}

async function store(
  storage: ApiRuntime['storage'],
  key: string,
  data: ConvertedPhoto['data'],
): Promise<void> {
  const upload = await storage.create(key, { contentType: 'image/jpeg', fileName: 'photo.jpg' });
  try {
    upload.stream.end(data);
    await upload.commit();
  } catch (error) {
    await upload.abort();
    throw error;
  }
}
