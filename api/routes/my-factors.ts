import { PERSON_READ } from '../../shared/records/resource-table.js';
import {
  confirmFactor,
  createFactor,
  removeFactor,
  renewRecoveryCodes,
} from '../../shared/resources/factors/commands.js';
import { listFactors } from '../../shared/resources/factors/queries.js';
import { factorListQuery } from '../../shared/resources/factors/schema.js';
import { worksWithoutFactor } from '../middleware/access.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { ApiContext } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { isAlwaysSensitive } from '../runtime/recent-factor.js';
import { switchToLiveTenant } from '../sign-in/live-tenant.js';
import { broadcastCredentialChange } from '../transforms/broadcast-credential-change.js';
import { createFactorTransforms } from '../transforms/factor-transforms.js';
import { createPasswordMask } from '../transforms/mask-password.js';

const getPersonId = (ctx: ApiContext) => ctx.state.key.id;

export const myFactorRoutes = defineRoutes('Access', (router, api) => {
  const transforms = createFactorTransforms(api);

  /**
   * @openapi
   * /me/factors:
   *   get:
   *     operationId: listFactors
   *     summary: List your second factors
   *     description: Newest first. The recovery codes that are left are one of the items.
   */
  router.get(
    '/me/factors',
    worksWithoutFactor,
    switchToLiveTenant,
    serveList(api, { access: PERSON_READ, schema: factorListQuery, buildQuery: listFactors }),
  );

  /**
   * @openapi
   * /me/factors:
   *   post:
   *     operationId: createFactor
   *     summary: Begin to add a second factor
   *     description: >-
   *       The response shows the secret of an authenticator app, or what the browser needs to
   *       create a passkey, once. The factor counts after POST /me/factors/{id}/confirm, within ten
   *       minutes and in the same session. The first factor needs the password. A person may have
   *       ten.
   *     x-resource: FactorWithSecret
   */
  router.post(
    '/me/factors',
    worksWithoutFactor,
    switchToLiveTenant,
    serveWrite(api, createFactor, {
      isSensitive: isAlwaysSensitive,
      bodyToHash: createPasswordMask(api),
      prepareInput: transforms.prepareNewFactor,
      transformResponse: transforms.showNewFactor,
    }),
  );

  /**
   * @openapi
   * /me/factors/{id}:
   *   get:
   *     operationId: getFactor
   *     summary: Get one of your second factors
   *     description: Never shows its secret.
   */
  router.get(
    '/me/factors/:id',
    worksWithoutFactor,
    switchToLiveTenant,
    serveRecord(api, 'factor', { isVisible: (body, { id }) => JSON.parse(body).user_id === id }),
  );

  /**
   * @openapi
   * /me/factors/{id}/confirm:
   *   post:
   *     operationId: confirmFactor
   *     summary: Confirm a second factor
   *     description: >-
   *       Takes a code of the authenticator app, or the browser's response for the passkey. The
   *       response to the first factor shows ten recovery codes, once.
   *     x-resource: FactorWithCodes
   */
  router.post(
    '/me/factors/:id/confirm',
    worksWithoutFactor,
    switchToLiveTenant,
    broadcastCredentialChange(api, getPersonId),
    serveWrite(api, confirmFactor, {
      prepareInput: transforms.prepareConfirmation,
      transformResponse: transforms.showCodes,
    }),
  );

  /**
   * @openapi
   * /me/factors/recovery-codes:
   *   post:
   *     operationId: renewRecoveryCodes
   *     summary: Make new recovery codes
   *     description: The response shows ten new codes, once. The old ones stop working.
   *     x-resource: FactorWithCodes
   */
  router.post(
    '/me/factors/recovery-codes',
    worksWithoutFactor,
    switchToLiveTenant,
    serveWrite(api, renewRecoveryCodes, {
      isSensitive: isAlwaysSensitive,
      prepareInput: transforms.prepareCodes,
      transformResponse: transforms.showCodes,
    }),
  );

  /**
   * @openapi
   * /me/factors/{id}:
   *   delete:
   *     operationId: removeFactor
   *     summary: Remove one of your second factors
   *     description: >-
   *       The recovery codes leave with the last factor. An account that requires a factor does not
   *       let people remove their last one.
   */
  router.delete(
    '/me/factors/:id',
    worksWithoutFactor,
    switchToLiveTenant,
    broadcastCredentialChange(api, getPersonId),
    serveWrite(api, removeFactor, { isSensitive: isAlwaysSensitive }),
  );
});
