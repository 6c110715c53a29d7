import { notFound } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import type { NamedConnection } from '../../shared/resources/fleet-links/link-commands.js';
import type { LinkKind } from '../../shared/resources/fleet-links/link-kind.js';
import type { WriteOptions } from '../middleware/write.js';
import type { ApiContext } from '../runtime/context.js';

/** The path of a link names the listed record by its connection and the vendor's id. */
export function describeLinkTarget<Input extends NamedConnection>({
  deriveId,
}: LinkKind): WriteOptions<Input> {
  return {
    getTargetId: (ctx) => {
      if (!isUuid(ctx.params.id)) throw notFound('connection');
      return deriveId(readConnectionId(ctx), String(ctx.params.external_id));
    },
    prepareInput: (input, ctx) => ({ ...input, connection_id: readConnectionId(ctx) }),
  };
}

function readConnectionId({ params }: ApiContext): string {
  return String(params.id).toLowerCase();
}
