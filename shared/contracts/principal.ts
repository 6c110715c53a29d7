import type { Tier } from '../config/config.js';
import type { AgentScope, Permission } from './vocabulary.js';

/** The sender of a request, with the facts about the tenant that the request acts on. */
export interface Principal {
  /** Id of the key or of the user. */
  id: string;
  kind: 'api' | 'agent' | 'user';
  name: string;
  permissions: Permission[];
  scopes: AgentScope[];
  /**
   * Present only for a motor club's key: the id of the club's first key. The club reads and changes
   * only offers with this id, and nothing else of the account.
   */
  clubId?: string;
  readOnly: boolean;
  /** In ms since the epoch. */
  expiresAt: number | null;
  /** True for a revoked key, and for a session that ended or was idle for too long. */
  revoked: boolean;
  tenantId: string;
  tenantName: string;
  environment: 'live' | 'sandbox';
  timeZone: string;
  /** The rate limits of this credential alone; never higher than `accountTier`. */
  tier: Tier;
  /** The rate limits of all credentials of this kind in the account together. */
  accountTier: Tier;
  /** Present only for a person. The session belongs to the live tenant, even in the sandbox. */
  session?: {
    id: string;
    tenantId: string;
    /** True if the account requires a second factor and the person has none. */
    isFactorMissing: boolean;
  };
}
