import { UNUSABLE_PASSWORD_HASH } from '../../shared/platform/crypto.js';
import { AppError } from '../../shared/platform/errors.js';
import { createUser, deactivateUser, updateUser } from '../../shared/resources/users/commands.js';
import { listUsers } from '../../shared/resources/users/queries.js';
import { userListQuery } from '../../shared/resources/users/schema.js';
import { requireLiveAccount } from '../joining/live-account.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { ApiContext } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { isAlwaysSensitive } from '../runtime/recent-factor.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { broadcastCredentialChange } from '../transforms/broadcast-credential-change.js';
import { createPasswordMask } from '../transforms/mask-password.js';

const admin = { permission: 'admin', agentScope: null } as const;
const idInPath = (ctx: ApiContext) => ctx.params.id;

export const userRoutes = defineRoutes('Access', (router, api) => {
  const { hashPassword, hashPasswordIfPresent } = createPasswordSteps(api);
  const maskPassword = createPasswordMask(api);

  /**
   * @openapi
   * /users:
   *   get:
   *     operationId: listUsers
   *     summary: List the people of the account
   *     description: >-
   *       Newest first, including deactivated people. People belong to the live account; its
   *       sandbox returns 403.
   */
  router.get(
    '/users',
    requireLiveAccount,
    serveList(api, { access: admin, schema: userListQuery, buildQuery: listUsers }),
  );

  /**
   * @openapi
   * /users:
   *   post:
   *     operationId: createUser
   *     summary: Add a person
   *     description: >-
   *       The person signs in with this e-mail and password, and may do what the role allows.
   *       Only an owner makes owners.
   */
  router.post(
    '/users',
    requireLiveAccount,
    serveWrite(api, createUser, {
      isSensitive: isAlwaysSensitive,
      prepareInput: hashPassword,
      bodyToHash: maskPassword,
    }),
  );

  /**
   * @openapi
   * /users/{id}:
   *   get:
   *     operationId: getUser
   *     summary: Get one person
   */
  router.get('/users/:id', requireLiveAccount, serveRecord(api, 'user'));

  /**
   * @openapi
   * /users/{id}:
   *   patch:
   *     operationId: updateUser
   *     summary: Change a person
   *     description: >-
   *       JSON merge: an absent member is kept. A new role counts everywhere within 5 seconds.
   *       The last owner of an account cannot be made anything else.
   */
  router.patch(
    '/users/:id',
    requireLiveAccount,
    broadcastCredentialChange(api, idInPath),
    serveWrite(api, updateUser, {
      isSensitive: isAlwaysSensitive,
      prepareInput: hashPasswordIfPresent,
      bodyToHash: maskPassword,
    }),
  );

  /**
   * @openapi
   * /users/{id}:
   *   delete:
   *     operationId: deactivateUser
   *     summary: Deactivate a person
   *     description: >-
   *       Ends every session of the person, effective everywhere within 5 seconds; the record is
   *       kept. The last active person of an account, and its last owner, cannot be deactivated.
   */
  router.delete(
    '/users/:id',
    requireLiveAccount,
    broadcastCredentialChange(api, idInPath),
    serveWrite(api, deactivateUser, { isSensitive: isAlwaysSensitive }),
  );
});

/**
 * Refuses API keys. A key that sets a person's password could sign in as that person. It could then
 * make decisions that no key may make (docs/decisions.md §3 and §7).
 * @throws {AppError} 403
 */
function assertPerson(ctx: ApiContext): void {
  if (ctx.state.key.kind === 'user') return;
  throw new AppError(
    'forbidden',
    'Only a signed-in person sets passwords. Leave password out, or use "tow users create".',
  );
}

/**
 * Creates the functions that replace passwords by hashes. Passwords stay in this process: commands
 * and tables contain only hashes.
 */
function createPasswordSteps(api: ApiRuntime) {
  const hashPassword = async <T extends object>(input: T, ctx: ApiContext): Promise<T> => {
    const { password, ...rest } = input as T & { password?: string };
    if (password !== undefined) assertPerson(ctx);
    const password_hash =
      password === undefined
        ? UNUSABLE_PASSWORD_HASH
        : await api.passwords.hash({ password, tenantId: ctx.state.key.tenantId });
    return { ...rest, password_hash } as unknown as T;
  };
  return {
    hashPassword,
    hashPasswordIfPresent: async <T extends object>(input: T, ctx: ApiContext): Promise<T> =>
      'password' in input ? hashPassword(input, ctx) : input,
  };
}
