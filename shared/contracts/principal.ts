import type { Tier } from '../platform/config.js';
import type { AgentScope, Permission } from './vocabulary.js';

/** Who makes a request: a key, an agent's key, or a person who signed in. With what must be known of the tenant that is acted on. */
export interface Principal {
  /** Of the key, or of the user. */
  id: string;
  kind: 'api' | 'agent' | 'user';
  name: string;
  permissions: Permission[];
  scopes: AgentScope[];
  readOnly: boolean;
  expiresAt: number | null;
  /** Revoked, ended or unused for too long. */
  revoked: boolean;
  tenantId: string;
  tenantName: string;
  environment: 'live' | 'sandbox';
  timeZone: string;
  /** Limits this credential alone; never higher than the account's. */
  tier: Tier;
  /** Limits all credentials of this kind in the account together. */
  accountTier: Tier;
  /** Of a person only. It is kept with the live tenant, also while its user acts in the sandbox. */
  session?: { id: string; tenantId: string };
}
