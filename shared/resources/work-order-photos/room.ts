import type { ErrorBody } from '../../platform/errors.js';
import { MAX_ACCOUNT_PHOTO_BYTES, MAX_PHOTOS } from './fields.js';
import type { PhotoRoom } from './queries.js';

/** Returns the error if a photo cannot be stored, or undefined if no limit is reached. */
export function checkPhotoRoom(room: PhotoRoom | undefined, bytes: number): ErrorBody | undefined {
  if (!room)
    return {
      code: 'not_found',
      message: 'No such work order. Check the id and that it belongs to this account.',
    };
  if (room.duplicate_id !== null) {
    const message = 'The work order has this photo already';
    return {
      code: 'conflict',
      message: `${message}.`,
      details: [{ field: '', code: 'duplicate', message, id: room.duplicate_id }],
    };
  }
  if (room.count >= MAX_PHOTOS)
    return { code: 'conflict', message: `The work order has ${MAX_PHOTOS} photos. Delete one first.` };
  if (room.account_bytes + bytes > MAX_ACCOUNT_PHOTO_BYTES)
    return {
      code: 'conflict',
      message: 'The photos of this account need too much space. Delete some first.',
    };
  return undefined;
}
