import type { Command } from '../../shared/contracts/command.js';
import type { Session } from '../../shared/contracts/generated.js';
import { readUserAgent } from '../../shared/http/request.js';
import { sha256 } from '../../shared/platform/crypto.js';
import { appErrorFromBody, serviceUnavailable } from '../../shared/platform/errors.js';
import { newId } from '../../shared/platform/ids.js';
import { findSitePrefix } from '../../shared/platform/limits/network-prefix.js';
import {
  type CheckedProof,
  createSession,
  type NewSession,
} from '../../shared/resources/sessions/commands.js';
import { markPassword } from '../../shared/resources/sessions/password-mark.js';
import type { SignInCandidate } from '../../shared/resources/sessions/queries.js';
import { mintSessionToken } from '../../shared/resources/sessions/token.js';
import { setTokenCookie } from '../middleware/session-cookie.js';
import { describeOrigin } from '../middleware/write.js';
import type { ApiContext } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';

interface NewSignIn {
  person: SignInCandidate;
  /** Present if the person has proved a second factor. `sessionId` comes from the challenge. */
  second?: { proof: CheckedProof; sessionId: string };
}

/** Stores a session, sets its cookie and responds with the session. */
export async function startSession(api: ApiRuntime, ctx: ApiContext, signIn: NewSignIn): Promise<void> {
  const token = mintSessionToken();
  const body = await storeSession(api, ctx, { ...signIn, token });
  await api.consistency.addTo(ctx);
  const { expires_at: expiresAt } = JSON.parse(body) as Session;
  setTokenCookie(api, ctx, { token, expiresAt: new Date(expiresAt) });
  ctx.set('Cache-Control', 'no-store');
  ctx.type = 'application/json';
  ctx.body = body;
}

/**
 * Stores the session. Resolves after the commit with the session's JSON. From then on, the cookie
 * with `token` is valid.
 */
async function storeSession(
  api: ApiRuntime,
  ctx: ApiContext,
  { person, second, token }: NewSignIn & { token: string },
): Promise<string> {
  const actor = { id: person.id, kind: 'user', name: person.name } as const;
  const command: Command<NewSession> = {
    ...describeOrigin(ctx, { ...actor, tenantId: person.tenant_id, environment: 'live' }),
    type: createSession.type,
    entityId: second?.sessionId ?? newId(),
    input: {
      user_id: person.id,
      token_hash: sha256(token).toString('hex'),
      password_mark: markPassword(person),
      address_mark: api.passwords.hashNetwork(person, ctx.ip),
      user_agent: readUserAgent(ctx.req),
      network: findSitePrefix(ctx.ip),
      ...(second ? { proof: second.proof } : {}),
    },
    dryRun: false,
    unknownFields: [],
    idempotency: null,
  };
  const submitted = await api.submit(command, 0);
  // The session may still be stored later. That does no harm, because no client has its token.
  if ('accepted' in submitted) throw serviceUnavailable('Signing in took too long. Try again shortly.');
  if (!submitted.ok) throw appErrorFromBody(submitted.error);
  return submitted.body;
}
