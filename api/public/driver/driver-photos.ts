import Joi from 'joi';
import { dateTime, uuid } from '../../../shared/contracts/schemas/fields.js';
import { validate } from '../../../shared/contracts/schemas/validate.js';
import { AppError } from '../../../shared/platform/errors.js';
import { createWorkOrderPhoto } from '../../../shared/resources/work-order-photos/commands.js';
import { receivePhoto } from '../../photos/receive-photo.js';
import { type DriverRequest, submitOne, toPast } from './driver-actions.js';

const query = Joi.object({ id: uuid().required(), at: dateTime().required() });

/**
 * Adds the photo in the request's body. If the work order already has the photo, the response is
 * the same as for a new photo. The phone repeats the request if the first response was lost.
 */
export async function addPhoto(request: DriverRequest): Promise<void> {
  const { api, ctx, workOrder } = request;
  const { id, at } = validate<{ id: string; at: string }>(query, { ...ctx.query });
  const { tenant_id: tenantId, id: workOrderId } = workOrder;
  // No idempotency key is needed, because a photo that is sent twice counts as added.
  const target = { tenantId, workOrderId, takenAt: toPast(at), isDryRun: false, hasKey: false };
  try {
    const input = await receivePhoto(api, ctx, target);
    const action = { id, kind: 'photo', sha256: input.sha256 };
    await submitOne(request, { definition: createWorkOrderPhoto, input, action });
  } catch (error) {
    const isThere = error instanceof AppError && error.details?.some(({ code }) => code === 'duplicate');
    if (!isThere) throw error;
  }
}
