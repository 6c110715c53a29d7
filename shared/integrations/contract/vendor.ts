import type Joi from 'joi';
import type { Config, VendorSettings } from '../../config/config.js';
import type { OpenConnection } from './connection.js';
import type { MessageSender, MessagingAdapter } from './messaging.js';

/** The kinds of vendors (docs/decisions.md §11). */
export const VENDOR_KINDS = ['accounting', 'payments', 'motor_club', 'messaging', 'telematics'] as const;
export type VendorKind = (typeof VENDOR_KINDS)[number];

/** What a vendor is and offers. The catalogue and the checks of inputs follow from it. */
export interface Manifest {
  /** Its name in paths, rows and settings. */
  vendor: string;
  kind: VendorKind;
  label: string;
  auth: 'oauth2' | 'api_key';
  /** What an account enters to connect; empty for OAuth. */
  credentialsSchema: Joi.ObjectSchema;
  settingsSchema: Joi.ObjectSchema;
  docsUrl: string;
  /** Streams to pull, each with the longest time between two pulls, in seconds. */
  streams: Readonly<Record<string, number>>;
  limits: CallLimits;
  /** For OAuth 2. */
  oauth?: OAuthManifest;
}

export interface CallLimits {
  /** Calls per second and connection. */
  perSecond: number;
  /** Calls that a connection may make at once after a pause. */
  burst: number;
  /** Calls per minute of all connections together, where the vendor counts them by application. */
  perAppAndMinute?: number;
  /** Deadline of one call. */
  timeoutMs: number;
}

export interface OAuthManifest {
  /** Paths below the vendor's identity address. */
  authorizePath: string;
  tokenPath: string;
  revokePath?: string;
  scopes: readonly string[];
}

/** What the vendor says about the account that a connection leads to. */
export interface VendorAccount {
  externalAccount: string;
  label: string | null;
  /** Undefined: the vendor does not say. */
  environment: 'live' | 'sandbox' | undefined;
}

/** A webhook as it arrived. */
export interface InboundRequest {
  body: Buffer;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The public address that the vendor called. */
  url: string;
}

/** One item of a webhook: a hint that a stream has changes. */
export interface InboundNotice {
  externalAccount: string | null;
  dedupeId: string;
  stream: string;
}

/** Checks a vendor's webhooks on the raw bytes, and splits them. */
export interface Inbound {
  /** The secret signs per application, so that one address serves all connections. */
  isPerApplication: boolean;
  /** @param secret the webhook secret of the connection or of the application */
  verify(request: InboundRequest, secret: string): boolean;
  split(body: Buffer): InboundNotice[];
}

/** A vendor that accounts connect themselves. */
export interface TenantVendor {
  manifest: Manifest;
  /** Tells from the credentials whether they are the vendor's test ones; undefined: unknown. */
  readEnvironment?(credentials: Record<string, string>): 'live' | 'sandbox' | undefined;
  describe(connection: OpenConnection): Promise<VendorAccount>;
  messaging: MessagingAdapter;
  inbound: Inbound;
  /** Where its API and its sign-in page are, unless the setting INTEGRATIONS replaces them. */
  baseUrl: string;
  identityUrl?: string;
}

/** A vendor that the operator of this deployment sets up for all accounts. */
export interface OperatorVendor {
  manifest: Pick<Manifest, 'vendor' | 'kind' | 'label'>;
  /** Undefined: it is not set up. */
  openSender(config: Config): MessageSender | undefined;
}

export type Vendor = TenantVendor | OperatorVendor;

/** The vendors of a process. */
export class Vendors {
  readonly tenantVendors: readonly TenantVendor[];

  constructor(readonly all: readonly Vendor[]) {
    this.tenantVendors = all.filter((vendor): vendor is TenantVendor => 'describe' in vendor);
  }

  find(name: string): TenantVendor | undefined {
    return this.tenantVendors.find(({ manifest }) => manifest.vendor === name);
  }

  findOperatorVendor(name: string): OperatorVendor | undefined {
    const found = this.all.find(({ manifest }) => manifest.vendor === name);
    return found && 'openSender' in found ? found : undefined;
  }
}

/** Where a vendor is reached: its own address, or the one in INTEGRATIONS. */
export function getVendorAddresses(
  { baseUrl, identityUrl = baseUrl }: TenantVendor,
  settings: VendorSettings = {},
): { baseUrl: string; identityUrl: string } {
  const base = settings.base_url ?? baseUrl;
  return { baseUrl: base, identityUrl: settings.identity_url ?? settings.base_url ?? identityUrl };
}
