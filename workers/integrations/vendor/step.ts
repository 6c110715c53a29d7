import type { Command } from '../../../shared/contracts/command.js';
import { broadcastRecordedEvents } from '../../../shared/events/recorded-broadcast.js';
import type { OpenConnection } from '../../../shared/integrations/contract/connection.js';
import type { TenantVendor, Vendors } from '../../../shared/integrations/contract/vendor.js';
import type { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { getVendorAddresses } from '../../../shared/integrations/vendor-addresses.js';
import { storeOperationsAtCommit } from '../../../shared/operations/store.js';
import type { OutboundClient } from '../../../shared/outbound/client.js';
import type { Database, Transaction } from '../../../shared/platform/postgres/database.js';
import type { Runtime } from '../../../shared/platform/process/runtime.js';
import { createIntegrationCommand } from '../../../shared/resources/connections/integration-command.js';
import type { ConnectionSecrets } from '../../../shared/resources/connections/secrets.js';
import {
  findNextWorkAtCommit,
  lockHeldConnection,
  type StepConnection,
} from '../../../shared/sync/begin-step.js';
import { insertCalls } from '../../../shared/sync/call-rows.js';
import type { SecretRow } from '../../../shared/sync/secret-rows.js';
import { CallRate } from '../queue/call-rate.js';
import type { CommandSender } from '../queue/command-sender.js';
import type { ConnectionQueue } from '../queue/connection-queue.js';
import { judgeHealth } from './judge-health.js';
import { selectLoggedCalls } from './select-logged-calls.js';
import { isSignedIn, openSecrets } from './tokens.js';
import { VendorCaller } from './vendor-caller.js';

/** If the job of a step's command is lost, the clock resubmits the command after this time. */
const COMMAND_LEASE_SECONDS = 5;

export interface StepServices {
  runtime: Runtime;
  vendors: Vendors;
  client: OutboundClient;
  commands: CommandSender;
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
  /**
   * True for a read that runs every few seconds. Of its successful calls, one a minute is logged.
   */
  isRoutine?: true;
  /**
   * The kinds among which the transaction also finds the connection's next work. Only for a step
   * with one result.
   */
  nextKinds?: readonly string[];
  /** Undefined if the step succeeded. Null if the step shows nothing about the vendor's health. */
  error?: VendorError | undefined | null;
  commands?: StepCommand[];
  /** Stores the result. May return further commands. */
  store?: (tx: Transaction) => void | Promise<void> | Promise<StepCommand[]>;
}

/** One step of a connection: writes, a page of a pull, or the revocation of the access. */
export class Step {
  readonly caller: VendorCaller;
  readonly db: Database;
  /** The version of the secrets with which this step calls the vendor. */
  secretsVersion: number | null;
  /**
   * Milliseconds until the connection's next work; null if it has none. Undefined if the step has
   * not looked for it.
   */
  nextWorkMs: number | null | undefined;
  /** True if this step changes records without a command, so that it must announce the change. */
  hasChangedRecords = false;
  /** True if this step uses an access token from a sign-in. */
  private isSignedIn = false;
  private opened: Promise<OpenConnection> | undefined;
  private refreshes: boolean | undefined;
  private lastTask: Promise<unknown> = Promise.resolve();
  private readonly startedAt = performance.now();

  constructor(
    readonly services: StepServices,
    readonly queue: ConnectionQueue,
    readonly connection: StepConnection,
    readonly vendor: TenantVendor,
    private readonly stored: SecretRow | undefined,
  ) {
    const { runtime, client } = services;
    this.db = runtime.db;
    this.secretsVersion = connection.secretsVersion;
    queue.rate ??= new CallRate(vendor.manifest.limits);
    const { limiter, metrics } = runtime;
    const assertLease = () => {
      if (!services.holdsLease(queue)) throw new LeaseLostError('the lease of a connection was lost');
    };
    this.caller = new VendorCaller({ client, limiter, metrics, rate: queue.rate, vendor, assertLease });
  }

  get tokenParts() {
    const { db, config } = this.services.runtime;
    const { externalAccount } = this.connection;
    return {
      db,
      config,
      vendor: this.vendor,
      caller: this.caller,
      ref: this.queue.ref,
      externalAccount,
      stored: this.stored,
    };
  }

  /**
   * Returns the connection with valid credentials, for calls to the vendor.
   * @throws {VendorError} as {@link openSecrets} does
   */
  open(): Promise<OpenConnection> {
    // Writes that run at the same time must not refresh the access token twice.
    this.opened ??= this.openOnce();
    return this.opened;
  }

  /**
   * Runs a task after all earlier tasks of this step. Writes that run at the same time read the
   * database one after another, so that they use one database connection in all.
   */
  inSequence<T>(task: () => Promise<T>): Promise<T> {
    const result = this.lastTask.then(task);
    this.lastTask = result.catch(() => undefined);
    return result;
  }

  private async openOnce(): Promise<OpenConnection> {
    const { secrets, version } = await openSecrets(this.tokenParts, this.queue.refusedVersion);
    this.secretsVersion = version;
    this.isSignedIn = isSignedIn(secrets);
    this.queue.refusedVersion = null;
    return this.buildConnection(secrets);
  }

  /**
   * After the vendor refused the credentials, decides whether to refresh the access token before
   * the next step. A token is refreshed only once. If the vendor also refuses the new token, a
   * person must connect again.
   */
  planTokenRefresh({ kind, code }: VendorError): boolean {
    if (kind !== 'auth') return false;
    const { queue } = this;
    // If the vendor refused several writes of this step, decide once.
    this.refreshes ??= this.isSignedIn && code !== 'invalid_grant' && !queue.hasRefreshed;
    queue.refusedVersion = this.refreshes ? this.secretsVersion : null;
    queue.hasRefreshed = this.refreshes;
    return this.refreshes;
  }

  private buildConnection(secrets: ConnectionSecrets): OpenConnection {
    const { config } = this.services.runtime;
    const { environment } = this.connection;
    const settings = config.integrations[this.vendor.manifest.vendor];
    const { baseUrl, filesUrl } = getVendorAddresses(this.vendor, settings, environment);
    return {
      id: this.connection.connectionId,
      environment,
      externalAccount: this.connection.externalAccount,
      settings: this.connection.settings,
      credentials: secrets.credentials,
      accessToken: secrets.accessToken,
      signInParams: secrets.signInParams ?? {},
      webhookUrl: this.connection.webhookUrl,
      learned: this.queue.learned,
      call: (request) => this.caller.call(request.isUpload ? filesUrl : baseUrl, request),
    };
  }

  /**
   * Stores a result of the step, its calls, health and commands in one transaction. Then submits
   * the commands.
   * @throws {LeaseLostError} if this process no longer has the lease
   */
  async finish(result: StepResult): Promise<void> {
    // Other writes of this step may add calls while the transaction runs.
    const calls = [...this.caller.calls];
    const commands = await this.db.transaction([this.connection.tenantId], async (tx) => {
      const held = await lockHeldConnection(tx, { ...this.queue.ref, owner: this.queue.owner });
      if (!held) throw new LeaseLostError('the lease of a connection was lost during a step');
      const statusCommands = judgeHealth(tx, held, {
        queue: this.queue,
        secretsVersion: this.secretsVersion,
        error: result.error,
        calls,
      });
      const further = (await result.store?.(tx)) ?? [];
      const all = this.buildCommands([...(result.commands ?? []), ...further, ...statusCommands]);
      insertCalls(tx, this.connection, result.isRoutine ? selectLoggedCalls(this.queue, calls) : calls);
      storeOperationsAtCommit(tx, all, COMMAND_LEASE_SECONDS);
      // A woken queue looks again anyway.
      if (result.nextKinds && !this.queue.isWoken)
        findNextWorkAtCommit(tx, this.connection, {
          kinds: result.nextKinds,
          onFound: (inMs) => {
            this.nextWorkMs = inMs;
          },
        });
      return all;
    });
    this.caller.calls.splice(0, calls.length);
    this.log(result, calls.length);
    if (this.hasChangedRecords) await this.announce();
    await this.services.commands.send(commands);
  }

  /** Lets the account's streams read the changed records. Otherwise readers find them later. */
  private async announce(): Promise<void> {
    const { bus, logger } = this.services.runtime;
    const { tenantId: tenant } = this.connection;
    this.hasChangedRecords = false;
    await broadcastRecordedEvents(bus, [tenant]).catch((error: unknown) =>
      logger.warn({ err: error, tenant }, 'changes not announced; readers find them later'),
    );
  }

  private log({ error, isRoutine }: StepResult, calls: number): void {
    const { tenantId: tenant, connectionId: connection, vendor } = this.connection;
    const failure = error ? { kind: error.kind, code: error.code } : {};
    const ms = Math.round(performance.now() - this.startedAt);
    const fields = { tenant, connection, vendor, calls, ...failure, ms };
    this.services.runtime.logger[isRoutine ? 'debug' : 'info'](fields, 'step of a connection');
  }

  private buildCommands(commands: readonly StepCommand[]): Command[] {
    return commands.map((command) => createIntegrationCommand(this.connection, command));
  }
}
