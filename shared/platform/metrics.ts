import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const LATENCY_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Creates the metrics. Their units are Prometheus base units. Labels contain route templates, never
 * paths or tenants.
 */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    ...createFailureCounters(registers),
    ...createClockGauges(registers),
    /** The functions that compute the values of a gauge, by the gauge's name. */
    collectors: new Map<string, CollectedGauge['collect'][]>(),
    httpSeconds: new Histogram({
      name: 'tow_http_request_duration_seconds',
      help: 'Response time, by route template',
      labelNames: ['method', 'route', 'status'],
      buckets: LATENCY_BUCKETS_S,
      registers,
    }),
    batchCommands: new Histogram({
      name: 'tow_write_batch_commands',
      help: 'Commands per batch',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers,
    }),
    commitSeconds: new Histogram({
      name: 'tow_write_commit_duration_seconds',
      help: 'Time of the transaction that commits a batch',
      buckets: LATENCY_BUCKETS_S,
      registers,
    }),
    commands: new Counter({
      name: 'tow_commands_total',
      help: 'Commands by type and outcome',
      labelNames: ['type', 'outcome'],
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'tow_webhook_attempts_total',
      help: 'Requests to receivers, by outcome of the delivery',
      labelNames: ['outcome'],
      registers,
    }),
    webhookLagSeconds: new Histogram({
      name: 'tow_webhook_lag_seconds',
      help: 'From the event to the first attempt of its delivery',
      buckets: LATENCY_BUCKETS_S,
      registers,
    }),
    vendorCallSeconds: new Histogram({
      name: 'tow_vendor_call_duration_seconds',
      help: 'Calls to vendors; result: ok, or the kind of the error',
      labelNames: ['vendor', 'result'],
      buckets: LATENCY_BUCKETS_S,
      registers,
    }),
    replicaReads: new Counter({
      name: 'tow_replica_reads_total',
      help: 'Reads with a consistency token by outcome: replica; all others read from the primary',
      labelNames: ['outcome'],
      registers,
    }),
    eventStreams: new Gauge({
      name: 'tow_event_streams',
      help: 'Open event streams of this process',
      registers,
    }),
    canarySeconds: new Gauge({
      name: 'tow_canary_round_trip_seconds',
      help: 'Last round trip of the canary command through queue, worker, PostgreSQL and reply; -1: no reply',
      registers,
    }),
  };
}

/** Creates gauges of what the clock finds in all accounts. Other processes leave them unset. */
function createClockGauges(registers: Registry[]) {
  return {
    pendingOperations: new Gauge({
      name: 'tow_operations_pending',
      help: 'Operations answered 202 that have not run yet',
      registers,
    }),
    oldestPendingOperationSeconds: new Gauge({
      name: 'tow_operations_oldest_pending_seconds',
      help: 'Age of the oldest operation answered 202 that has not run yet; 0 when none is pending',
      registers,
    }),
    connections: new Gauge({
      name: 'tow_connections',
      help: 'Connections to vendors in all accounts, by vendor and status',
      labelNames: ['vendor', 'status'],
      registers,
    }),
    partitionFaults: new Gauge({
      name: 'tow_partition_faults',
      help: 'Problems with the partitions (tow doctor lists them): weeks without one, old ones not dropped, rows in a default one',
      registers,
    }),
  };
}

/** Creates counters for failures that no response shows. */
function createFailureCounters(registers: Registry[]) {
  return {
    refusedConnections: new Counter({
      name: 'tow_connections_refused_total',
      help: 'Connections closed immediately because too many were open: in the process, of one network or of one site',
      labelNames: ['bound'],
      registers,
    }),
    refusedRequests: new Counter({
      name: 'tow_http_requests_refused_total',
      help: 'Requests answered 503 because too many were open',
      registers,
    }),
    failedJobs: new Counter({
      name: 'tow_jobs_failed_total',
      help: 'Attempts of jobs that ended in an error, by queue and name; final: yes when the job is not tried again',
      labelNames: ['queue', 'name', 'final'],
      registers,
    }),
    lostWrites: new Counter({
      name: 'tow_lost_writes_total',
      help: 'Acknowledged writes that were missing after another PostgreSQL server became the primary (tow doctor lists them)',
      registers,
    }),
    sweepFaults: new Counter({
      name: 'tow_sweep_accounts_left_out_total',
      help: 'Accounts that a clock sweep skipped because they failed, once per pass (tow doctor lists them)',
      labelNames: ['task'],
      registers,
    }),
  };
}

export interface CollectedGauge {
  name: string;
  help: string;
  labelNames: string[];
  collect: (set: GaugeSetter) => Promise<void> | void;
}

/** A scrape omits the values of a function that takes longer, because a store does not answer. */
const COLLECT_TIMEOUT_MS = 3000;

/**
 * Registers a function that computes values of a gauge on each scrape. Several callers may register
 * a function for one gauge. If a function fails, `/metrics` omits its values: a store that is down
 * must not hide all other metrics, and an old value would look like a current one.
 */
export function addCollectedGauge({ registry, collectors }: Metrics, gauge: CollectedGauge): void {
  const { name, help, labelNames, collect } = gauge;
  const existing = collectors.get(name);
  if (existing) {
    existing.push(collect);
    return;
  }
  const collects = [collect];
  collectors.set(name, collects);
  new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    async collect() {
      const found = await Promise.all(collects.map(collectSamples));
      // Nothing waits between the two steps, so that concurrent scrapes see complete values.
      this.reset();
      for (const [labels, value] of found.flat()) this.set(labels, value);
    },
  });
}

type Sample = Parameters<GaugeSetter>;

/** Returns the values that a function computes; none if it fails or takes too long. */
async function collectSamples(collect: CollectedGauge['collect']): Promise<Sample[]> {
  const samples: Sample[] = [];
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Sample[]>((resolve) => {
    timer = setTimeout(() => resolve([]), COLLECT_TIMEOUT_MS);
  });
  const collected = (async () => {
    await collect((...sample) => void samples.push(sample));
    return samples;
  })();
  return Promise.race([collected.catch(() => []), timeout]).finally(() => clearTimeout(timer));
}

export type GaugeSetter = (labels: Record<string, string>, value: number) => void;
