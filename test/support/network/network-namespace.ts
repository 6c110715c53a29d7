import { spawn } from 'node:child_process';
import { join } from 'node:path';

/**
 * The addresses that exist inside the network namespace of the tests. For the code under test they
 * are ordinary addresses, but no packet leaves the machine.
 */
export const CANARY_ADDRESSES = {
  public: '93.184.216.34',
  otherPublic: '93.184.216.35',
  publicV6: '2606:2800:220:1::34',
  private: [
    '10.0.0.1',
    '100.64.0.1',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '192.168.1.1',
    '198.18.0.1',
    'fd00:ec2::254',
    'fec0::1',
    '64:ff9b::a9fe:a9fe',
    '2002:7f00:1::1',
  ],
} as const;

const HERE = import.meta.dirname;
const LIMIT_MS = 60_000;

/**
 * The environment of the child process that runs the scenarios. The outbound client must ignore
 * these proxy and TLS variables. The proxy is at one of the {@link CANARY_ADDRESSES}.
 */
const ENVIRONMENT = {
  ...Object.fromEntries(
    ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].map((name) => [
      name,
      'http://10.0.0.1:8080',
    ]),
  ),
  NODE_USE_ENV_PROXY: '1',
  NODE_TLS_REJECT_UNAUTHORIZED: '0',
  NODE_EXTRA_CA_CERTS: join(HERE, '../../fixtures/tls/receiver.pem'),
};

/**
 * The child prints this text once it runs inside the namespace. A failure after that fails the
 * tests instead of skipping them.
 */
export const INSIDE_MARKER = 'inside the namespace';

/** Scenarios by title. A scenario throws if it fails. */
export type NamespaceScenarios = Record<string, () => Promise<void>>;

/**
 * Runs scenarios in one child process, inside a network namespace that has only loopback. A hole in
 * the outbound guard can therefore never send a packet to a real address. The scenarios of one
 * module run concurrently, and the modules one after another. One `it` per scenario reports the
 * result.
 * @param modules maps each module's path to the scenarios that the module exports as `scenarios`
 */
export function runInNetworkNamespace(modules: Record<string, NamespaceScenarios>): void {
  let outcomes: Record<string, string | null> = {};

  before(async function () {
    this.timeout(LIMIT_MS + 5000);
    const { code, stdout, stderr } = await run(Object.keys(modules));
    const report = stdout.split('\n').findLast((line) => line.startsWith('{'));
    if (code === 0 && report) {
      outcomes = JSON.parse(report);
      return;
    }
    if (stdout.startsWith(INSIDE_MARKER)) throw new Error(`the scenarios stopped early (${code})\n${stderr}`);
    // In CI, these tests must run. Elsewhere they are skipped if the machine cannot create a
    // namespace (no Linux, or a strict container).
    const why = `no network namespace: unshare (util-linux), ip (iproute2) and user namespaces are needed.\n${stderr}`;
    if (process.env.CI) throw new Error(why);
    process.stderr.write(`skipped, ${why}`);
    this.skip();
  });

  for (const title of Object.values(modules).flatMap((scenarios) => Object.keys(scenarios))) {
    it(title, () => {
      if (outcomes[title] === null) return;
      throw new Error(outcomes[title] ?? 'it did not run');
    });
  }
}

async function run(modules: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const addresses = [
    CANARY_ADDRESSES.public,
    CANARY_ADDRESSES.otherPublic,
    CANARY_ADDRESSES.publicV6,
    ...CANARY_ADDRESSES.private,
  ];
  // `nodad` skips the search for duplicate IPv6 addresses, so that the address is usable
  // immediately.
  const addCommands = addresses.map(
    (address) => `ip addr add ${address} dev lo${address.includes(':') ? ' nodad' : ''}`,
  );
  const start = `exec "${process.execPath}" --import tsx "${join(HERE, 'namespace-process.ts')}" "$@"`;
  const script = ['set -e', 'ip link set lo up', ...addCommands, start].join('\n');
  const userOption = process.getuid?.() === 0 ? '-n' : '-rn';
  const child = spawn('unshare', [userOption, 'sh', '-c', script, 'sh', ...modules], {
    cwd: join(HERE, '../../..'),
    env: { ...ENVIRONMENT, PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin` },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      stderr += String(error);
      resolve(null);
    });
    child.once('close', resolve);
  });
  return { code, stdout, stderr };
}
