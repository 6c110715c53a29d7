import type { Command } from '../../../shared/contracts/command.js';
import type { OpenConnection } from '../../../shared/integrations/contract/connection.js';
import type { TenantVendor, Vendors } from '../../../shared/integrations/contract/vendor.js';
import { getVendorAddresses } from '../../../shared/integrations/contract/vendor.js';
import { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { storeOperationAtCommit } from '../../../shared/operations/store.js';
import type { OutboundClient } from '../../../shared/outbound/client.js';
import type { Database, Transaction } from '../../../shared/platform/postgres/database.js';
import type { Runtime } from '../../../shared/platform/process/runtime.js';
import { enqueueBatch, type WritesQueue } from '../../../shared/queues/writes.js';
import { recordConnectionStatus } from '../../../shared/resources/connections/commands.js';
import { createIntegrationCommand } from '../../../shared/resources/connections/integration-command.js';
import type { ConnectionSecrets } from '../../../shared/resources/connections/secrets.js';
import { nextConnectionStatus } from '../../../shared/resources/connections/transitions.js';
import type { ConnectionStatus } from '../../../shared/resources/connections/vocabulary.js';
import { lockHeldConnection, type StepConnection } from '../../../shared/sync/begin-step.js';
import { insertCalls } from '../../../shared/sync/call-rows.js';
import { storeConnectionHealth } from '../../../shared/sync/lease-connection-queues.js';
import { closeBreaker, openBreaker } from '../../leased-queues/circuit-breaker.js';
import type { ConnectionQueue } from '../queue/connection-queue.js';
import { TokenBucket } from '../queue/token-bucket.js';
import { isSignedIn, openSecrets } from './tokens.js';
import { VendorCaller } from './vendor-caller.js';

/**
 * The pause after the vendor refused the credentials. New credentials end the pause, and so does a
 * test of the connection.
 */
const REFUSED_PAUSE_MS = 15 * 60_000;
/** If the job of a step's command is lost, the clock resubmits the command after this time. */
const COMMAND_LEASE_SECONDS = 5;

export interface StepServices {
  runtime: Runtime;
  vendors: Vendors;
  client: OutboundClient;
  writes: WritesQueue;
  /** False once this process has lost the queue's lease, or may have lost it. */
  holdsLease(queue: ConnectionQueue): boolean;
}

/**
 * Thrown if the lease ended during the step. Another process may then continue the work, so this
 * process must not store the result.
 */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export interface StepCommand {
  type: string;
  entityId: string;
  input: unknown;
}

export interface StepResult {
  /** Undefined if the step succeeded. Null if the step shows nothing about the vendor's health. */
  error?: VendorError | undefined | null;
  commands?: StepCommand[];
  store?: (tx: Transaction) => void | Promise<void>;
}

/** One step of a connection: a write, a page of a pull, or the revocation of the access. */
export class Step {
  readonly caller: VendorCaller;
  readonly db: Database;
  /** The version of the secrets with which this step calls the vendor. */
  secretsVersion: number | null;
  /** True if this step calls the vendor with an access token of a sign-in. */
  private isSignedIn = false;
  private readonly startedAt = performance.now();

  constructor(
    readonly services: StepServices,
    readonly queue: ConnectionQueue,
    readonly connection: StepConnection,
    readonly vendor: TenantVendor,
  ) {
    const { runtime, client } = services;
    this.db = runtime.db;
    this.secretsVersion = connection.secretsVersion;
    queue.bucket ??= new TokenBucket(vendor.manifest.limits);
    const { limiter, metrics } = runtime;
    const assertLease = () => {
      if (!services.holdsLease(queue)) throw new LeaseLostError('the lease of a connection was lost');
    };
    this.caller = new VendorCaller({ client, limiter, metrics, bucket: queue.bucket, vendor, assertLease });
  }

  get tokenParts() {
    const { db, config } = this.services.runtime;
    const { externalAccount } = this.connection;
    return { db, config, vendor: this.vendor, caller: this.caller, ref: this.queue.ref, externalAccount };
  }

  /**
   * Returns the connection with valid credentials, for calls to the vendor.
   * @throws {VendorError} as {@link openSecrets} does
   */
  async open(): Promise<OpenConnection> {
    const { secrets, version } = await openSecrets(this.tokenParts, this.queue.mustRefresh);
    this.secretsVersion = version;
    this.isSignedIn = isSignedIn(secrets);
    this.queue.mustRefresh = false;
    return this.buildConnection(secrets);
  }

  /**
   * After refused credentials, decides whether the access token is refreshed before the next step.
   * A token is refreshed once. If the vendor refuses the new token too, a person must connect
   * again.
   */
  planTokenRefresh({ kind, code }: VendorError): boolean {
    if (kind !== 'auth') return false;
    const { queue } = this;
    const canRefresh = this.isSignedIn && code !== 'invalid_grant' && !queue.hasRefreshed;
    queue.mustRefresh = canRefresh;
    queue.hasRefreshed = canRefresh;
    return canRefresh;
  }

  private buildConnection(secrets: ConnectionSecrets): OpenConnection {
    const { config } = this.services.runtime;
    const { baseUrl, filesUrl } = getVendorAddresses(
      this.vendor,
      config.integrations[this.vendor.manifest.vendor],
    );
    return {
      id: this.connection.connectionId,
      settings: this.connection.settings,
      credentials: secrets.credentials,
      accessToken: secrets.accessToken,
      signInParams: secrets.signInParams ?? {},
      webhookUrl: this.connection.webhookUrl,
      call: (request) => this.caller.call(request.isUpload ? filesUrl : baseUrl, request),
    };
  }

  /**
   * Stores the step's result, calls, health and commands in one transaction. Then submits the
   * commands; if this process dies first, the clock submits them.
   * @throws {LeaseLostError} if this process no longer has the lease
   */
  async finish(result: StepResult): Promise<void> {
    const { runtime, writes } = this.services;
    const commands = await this.db.transaction([this.connection.tenantId], async (tx) => {
      const held = await lockHeldConnection(tx, { ...this.queue.ref, owner: this.queue.owner });
      if (!held) throw new LeaseLostError('the lease of a connection was lost during a step');
      const statusCommands = this.judgeHealth(tx, held, result);
      await result.store?.(tx);
      const all = this.buildCommands([...(result.commands ?? []), ...statusCommands]);
      insertCalls(tx, this.connection, this.caller.calls);
      for (const command of all) storeOperationAtCommit(tx, command, COMMAND_LEASE_SECONDS);
      return all;
    });
    this.log(result);
    if (commands.length > 0)
      await enqueueBatch(writes, commands, null).catch((error: unknown) =>
        runtime.logger.warn({ err: error }, 'could not submit the commands of a connection; the clock will'),
      );
  }

  private log({ error }: StepResult): void {
    const { tenantId: tenant, connectionId: connection, vendor } = this.connection;
    const failure = error ? { kind: error.kind, code: error.code } : {};
    const ms = Math.round(performance.now() - this.startedAt);
    const fields = { tenant, connection, vendor, calls: this.caller.calls.length, ...failure, ms };
    this.services.runtime.logger.info(fields, 'step of a connection');
  }

  private buildCommands(commands: readonly StepCommand[]): Command[] {
    return commands.map((command) => createIntegrationCommand(this.connection, command));
  }

  /**
   * Updates the connection's pauses and counters. Returns the commands that change the connection's
   * status.
   */
  private judgeHealth(tx: Transaction, held: StepConnection, { error }: StepResult): StepCommand[] {
    const { health, status, connectionId } = held;
    const now = Date.now();
    const changeStatus = (move: 'refuse' | 'fail' | 'recover', reason: string | null) => [
      { type: recordConnectionStatus.type, entityId: connectionId, input: { move, reason } },
    ];
    const { calls, failures } = this.caller;
    const isBroken = error && (error.kind === 'again' || error.kind === 'unknown_outcome');
    // If a person entered new credentials during the step, the refusal does not concern them.
    const isRefused = error?.kind === 'auth' && held.secretsVersion === this.secretsVersion;
    if (error?.retryAfterMs !== undefined)
      health.throttledUntil = Math.max(health.throttledUntil ?? 0, now + error.retryAfterMs);
    const wasOpen = health.openCount > 0;
    // With any result except `auth`, the vendor did not refuse the refreshed token. After a later
    // refusal, the worker may then refresh it again.
    if (error !== null && error?.kind !== 'auth') this.queue.hasRefreshed = false;
    // Store the pause here, because the command that changes the status may run much later.
    if (isRefused) health.openUntil = Math.max(health.openUntil ?? 0, now + REFUSED_PAUSE_MS);
    if (isBroken) openBreaker(health, { now, random: Math.random() });
    else if (error !== null && error?.kind !== 'limit' && error?.kind !== 'auth') closeBreaker(health);
    storeConnectionHealth(tx, held, {
      ...health,
      hasSucceeded:
        error === null ? undefined : !isBroken && error?.kind !== 'auth' && error?.kind !== 'limit',
      lastError: error?.message ?? null,
      calls: calls.length,
      failures,
    });
    const canRefuse = nextConnectionStatus(status as ConnectionStatus, 'refuse') !== undefined;
    if (isRefused) return canRefuse ? changeStatus('refuse', error.message) : [];
    if (health.openCount > 0 && !wasOpen) return changeStatus('fail', error?.message ?? null);
    return error === undefined && status === 'failing' ? changeStatus('recover', null) : [];
  }
}

/**
 * Converts an error of a step to a VendorError. After an error in our own code, the outcome at the
 * vendor is unknown. So a write is repeated only under the same idempotency key.
 * @throws {LeaseLostError} if `error` is one, because another process then continues the work
 */
export function toStepError(step: Step, error: unknown): VendorError {
  if (error instanceof VendorError) return error;
  if (error instanceof LeaseLostError) throw error;
  const { logger } = step.services.runtime;
  const { tenantId, connectionId, vendor } = step.connection;
  logger.error(
    { err: error, tenant: tenantId, connection: connectionId, vendor },
    'a step of a connection failed',
  );
  return new VendorError('Something went wrong on our side.', { kind: 'unknown_outcome', code: 'internal' });
}
