import type Joi from 'joi';
import type { Config, VendorSettings } from '../../config/config.js';
import type { OpenConnection } from './connection.js';
import type { MessageSender, MessagingAdapter } from './messaging.js';
import type { PaymentsAdapter } from './payments.js';

/** The kinds of vendors that docs/decisions.md §11 defines. */
export const VENDOR_KINDS = ['accounting', 'payments', 'motor_club', 'messaging', 'telematics'] as const;
export type VendorKind = (typeof VENDOR_KINDS)[number];

/** The stream of a payments vendor that compares its lists with our records. */
export const RECONCILIATION_STREAM = 'reconciliation';

/**
 * Describes a vendor. From the manifests, the service builds the list of vendors. Their schemas
 * validate the values that accounts enter.
 */
export interface Manifest {
  /** The vendor's name in URL paths, in rows and in the setting INTEGRATIONS. */
  vendor: string;
  kind: VendorKind;
  label: string;
  /** With `api_key` and `oauth`, an account may enter a key or sign in at the vendor. */
  auth: 'oauth2' | 'api_key';
  /** The fields that an account enters to connect; empty for OAuth. */
  credentialsSchema: Joi.ObjectSchema;
  settingsSchema: Joi.ObjectSchema;
  docsUrl: string;
  /** The streams to pull. Maps each stream to the longest time between two pulls, in seconds. */
  streams: Readonly<Record<string, number>>;
  limits: CallLimits;
  oauth?: OAuthManifest;
}

export interface CallLimits {
  /** Maximum number of calls per second for one connection. */
  perSecond: number;
  /** Maximum number of calls that a connection may make at once after a pause. */
  burst: number;
  /**
   * Maximum number of calls per minute for all connections together, if the vendor limits the
   * application as a whole.
   */
  perAppAndMinute?: number;
  timeoutMs: number;
}

export interface OAuthManifest {
  /** Paths below the vendor's `identityUrl`. */
  authorizePath: string;
  tokenPath: string;
  revokePath?: string;
  scopes: readonly string[];
  /** True if token requests have the application's id and secret in their body, not in a header. */
  sendsSecretInBody?: true;
  /** Builds the body of a revocation. By default, it names the token. */
  buildRevocation?(facts: { clientId: string; externalAccount: string }): Record<string, string>;
}

/** The vendor's own account behind a connection. */
export interface VendorAccount {
  externalAccount: string;
  label: string | null;
  /** Undefined if the vendor does not say whether the account is live. */
  environment: 'live' | 'sandbox' | undefined;
}

export interface InboundRequest {
  body: Buffer;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The public address that the vendor called. Some vendors include it in the signature. */
  url: string;
}

/** One item of a webhook. It means that the vendor has changes in `stream`. */
export interface InboundNotice {
  externalAccount: string | null;
  dedupeId: string;
  stream: string;
  /**
   * Names the record to read, in the adapter's own form. Omitted if the stream must be read from
   * its cursor.
   */
  hint?: string;
}

/** Verifies a vendor's webhooks and splits them into their items ({@link InboundNotice}). */
export interface Inbound {
  /**
   * True if all connections share one webhook secret and one address. False if each connection has
   * its own secret and address.
   */
  isPerApplication: boolean;
  /** Returns the webhook secret of a connection. By default, it is `webhook_secret`. */
  getSecret?(credentials: Readonly<Record<string, string>>): string | undefined;
  /**
   * @param request contains the raw body, because the signature covers its bytes
   * @param secret is the webhook secret of the connection or of the application
   */
  verify(request: InboundRequest, secret: string): boolean;
  split(body: Buffer): InboundNotice[];
}

/** A text that a customer sent to the account's number. */
export interface InboundText {
  externalId: string;
  from: string;
  to: string;
  text: string;
  /** The opt-out keyword that the vendor recognized in the text and has answered, if any. */
  optOutType: 'STOP' | 'START' | 'HELP' | null;
}

/** A caller at one step of a call. */
export interface InboundCall {
  externalId: string;
  from: string;
  /** The key that the caller pressed, or said; null at the beginning, and if none was pressed. */
  digit: string | null;
}

/** What a caller hears, and what happens then. */
export interface CallAnswer {
  sentences: readonly string[];
  /** The address that gets the next key; then the sentences are a menu. */
  menuUrl?: string;
  /** The number to which the caller is connected. */
  dialNumber?: string;
}

export interface HookAnswer {
  contentType: string;
  body: string;
}

/**
 * The addresses below that of a connection at which a vendor of texts brings texts and calls:
 * `/messages` and `/voice`.
 */
export interface PhoneInbound {
  readText(body: Buffer): InboundText;
  textAnswer: HookAnswer;
  readCall(body: Buffer): InboundCall;
  renderCall(answer: CallAnswer): HookAnswer;
}

/** A vendor that accounts connect themselves. */
export interface TenantVendor {
  manifest: Manifest;
  /** Returns undefined if the credentials do not show whether they are test credentials. */
  readEnvironment?(credentials: Record<string, string>): 'live' | 'sandbox' | undefined;
  describe(connection: OpenConnection): Promise<VendorAccount>;
  /** Set if accounts send texts through the vendor. */
  messaging?: MessagingAdapter;
  /** Set if customers of accounts pay through the vendor. */
  payments?: PaymentsAdapter;
  inbound: Inbound;
  /** Set if customers can text and call the account through the vendor. */
  phone?: PhoneInbound;
  /** The vendor's addresses. The setting INTEGRATIONS may replace them. */
  baseUrl: string;
  identityUrl?: string;
  /** The address that takes files, if it is another one. */
  filesUrl?: string;
}

/** A vendor that the operator of this deployment configures for all accounts. */
export interface OperatorVendor {
  manifest: Pick<Manifest, 'vendor' | 'kind' | 'label'>;
  /** Returns undefined if the operator has not configured the vendor. */
  openSender(config: Config): MessageSender | undefined;
}

export type Vendor = TenantVendor | OperatorVendor;

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

/**
 * True if an account can connect by a sign-in at the vendor. A vendor that also takes keys offers a
 * sign-in only if the operator has registered an application there.
 */
export function offersSignIn({ manifest }: TenantVendor, settings: VendorSettings | undefined): boolean {
  if (manifest.auth === 'oauth2') return true;
  return manifest.oauth !== undefined && settings?.client_id !== undefined;
}

/**
 * True if the vendor sends the webhooks of connections by sign-in to the address of the operator's
 * application, beside the addresses of the other connections.
 */
export function sharesHookOfSignIns({ manifest, inbound }: TenantVendor): boolean {
  return inbound.isPerApplication || (manifest.auth === 'api_key' && manifest.oauth !== undefined);
}

/** Returns the vendor's addresses, or those that the setting INTEGRATIONS names instead. */
export function getVendorAddresses(
  { baseUrl, identityUrl = baseUrl, filesUrl = baseUrl }: TenantVendor,
  settings: VendorSettings = {},
): { baseUrl: string; identityUrl: string; filesUrl: string } {
  const base = settings.base_url ?? baseUrl;
  return {
    baseUrl: base,
    identityUrl: settings.identity_url ?? settings.base_url ?? identityUrl,
    filesUrl: settings.base_url ?? filesUrl,
  };
}
