import type Joi from 'joi';
import type { Config, VendorSettings } from '../../config/config.js';
import type { AccountingAdapter } from './accounting.js';
import type { OpenConnection } from './connection.js';
import type { MessageSender, MessagingAdapter } from './messaging.js';
import type { MotorClubAdapter } from './motor-club.js';
import type { PaymentsAdapter } from './payments.js';
import type { TelematicsAdapter } from './telematics.js';
import type { BookLimits, CallLimits } from './vendor-limits.js';

/** The kinds of vendors that docs/decisions.md §11 defines. */
export const VENDOR_KINDS = ['accounting', 'payments', 'motor_club', 'messaging', 'telematics'] as const;
export type VendorKind = (typeof VENDOR_KINDS)[number];

/** The name of the stream that compares a payments vendor's lists with our records. */
export const RECONCILIATION_STREAM = 'reconciliation';

/**
 * The stream that reads the entries which an account can choose in the settings of an accounting
 * connection.
 */
export const CHOICES_STREAM = 'choices';

/**
 * Describes a vendor. The service builds the list of vendors from the manifests. The schemas
 * validate the values that accounts enter.
 */
export interface Manifest {
  /** The vendor's name in URL paths, in rows and in the setting INTEGRATIONS. */
  vendor: string;
  kind: VendorKind;
  label: string;
  /**
   * If `auth` is `api_key` and `oauth` is set, an account may either enter a key or sign in at the
   * vendor.
   */
  auth: 'oauth2' | 'api_key';
  /** The fields that an account enters to connect; empty for OAuth. */
  credentialsSchema: Joi.ObjectSchema;
  settingsSchema: Joi.ObjectSchema;
  docsUrl: string;
  /** The streams to pull. Maps each stream to the longest time between two pulls, in seconds. */
  streams: Readonly<Record<string, number>>;
  limits: CallLimits;
  oauth?: OAuthManifest;
  /** What limits the records that can enter the vendor's books. */
  bookLimits?: BookLimits;
}

export interface OAuthManifest {
  /** Paths below the vendor's `identityUrl`. */
  authorizePath: string;
  tokenPath: string;
  revokePath?: string;
  scopes: readonly string[];
  /**
   * The lifetime of a refresh token in seconds, if the token endpoint does not name it.
   */
  refreshTokenSeconds?: number;
  /** True if token requests have the application's id and secret in their body, not in a header. */
  sendsSecretInBody?: true;
  /** True if the body of a revocation is JSON, not a form. */
  revokesWithJson?: true;
  /**
   * True if a revocation, or {@link TenantVendor.endAccess}, ends all access of this service to the
   * account at the vendor, also that of other connections.
   */
  revokesAccount?: true;
  /**
   * Builds the body of the request that revokes a token. By default, the body contains only the
   * token.
   */
  buildRevocation?(facts: { clientId: string; externalAccount: string }): Record<string, string>;
}

/** The account at the vendor that a connection uses. */
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

/** One item of a webhook. It reports that the vendor has changes in `stream`. */
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

/** Verifies a vendor's webhooks and splits them into {@link InboundNotice} items. */
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

/** A phone call at one step of the menu. */
export interface InboundCall {
  externalId: string;
  from: string;
  /**
   * The key that the caller pressed or spoke. Null at the start of the call, and if the caller
   * chose no key.
   */
  digit: string | null;
}

/** The sentences that a caller hears, and the next step of the call. */
export interface CallAnswer {
  sentences: readonly string[];
  /**
   * If set, the sentences are a menu, and this address receives the key that the caller presses.
   */
  menuUrl?: string;
  /** The number to which the caller is connected. */
  dialNumber?: string;
}

export interface HookAnswer {
  contentType: string;
  body: string;
}

/**
 * Handles the texts and calls that a vendor delivers to `/messages` and `/voice` below the address
 * of the connection.
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
  /**
   * Ends the access to the connection's account alone. Set if a revocation would end that to other
   * accounts too.
   * @throws {VendorError} if the vendor fails or refuses
   */
  endAccess?(connection: OpenConnection): Promise<void>;
  /** Set if accounts send texts through the vendor. */
  messaging?: MessagingAdapter;
  /** Set if customers of accounts pay through the vendor. */
  payments?: PaymentsAdapter;
  /** Set if accounts keep their books at the vendor. */
  accounting?: AccountingAdapter;
  /** Set if the vendor knows where the account's trucks are. */
  telematics?: TelematicsAdapter;
  /** Set if motor clubs are billed through the vendor. */
  motorClub?: MotorClubAdapter;
  inbound: Inbound;
  /** Set if customers can text and call the account through the vendor. */
  phone?: PhoneInbound;
  /** The vendor's own address. The setting INTEGRATIONS may replace it. */
  baseUrl: string;
  /** The address for sandbox accounts, if the vendor has another one for them. */
  sandboxUrl?: string;
  identityUrl?: string;
  /** The addresses of the sign-in page and of revocations, if they differ from `identityUrl`. */
  signInUrl?: string;
  revokeUrl?: string;
  /** The address that receives files, if the vendor has a separate one. */
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
 * True if accounts can connect by a sign-in at the vendor. If the vendor also accepts keys, the
 * operator must have registered an application at the vendor.
 */
export function offersSignIn({ manifest }: TenantVendor, settings: VendorSettings | undefined): boolean {
  if (manifest.auth === 'oauth2') return true;
  return manifest.oauth !== undefined && settings?.client_id !== undefined;
}

/**
 * True if connections by sign-in receive their webhooks at the one address of the operator's
 * application. Connections by key have their own addresses.
 */
export function sharesHookOfSignIns({ manifest, inbound }: TenantVendor): boolean {
  return inbound.isPerApplication || (manifest.auth === 'api_key' && manifest.oauth !== undefined);
}
