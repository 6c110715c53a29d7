import { readFile } from 'node:fs/promises';
import type { DemoKeyField } from '../../shared/demo/demo-credentials.js';
import { type DemoFile, demoFilePath } from '../../shared/demo/demo-file.js';
import type { Config } from '../../shared/platform/config.js';
import { errorCodeOf } from '../../shared/platform/errors.js';
import { withoutTrailingSlashes } from '../../shared/platform/trailing-slashes.js';
import { isWellFormedKey } from '../../shared/resources/api-keys/credential.js';
import type { ApiAccess } from './api-client.js';
import type { CommandArgs } from './command.js';
import { CliError, EXIT, reasonOf, usageError } from './exit-codes.js';

/** The demo's key for a command that was given none. */
type DemoKey = 'api_key' | 'sandbox_key';

/**
 * API and key of a command that calls the API: --api-url and --key, else the settings TOW_API_URL and TOW_API_KEY, else those of the demo that
 * `npm start` made in DATA_DIR. With --sandbox the key is the demo's in any case.
 */
export async function apiAccess(
  { values }: CommandArgs,
  config: Pick<Config, 'apiUrl' | 'apiKey' | 'dataDir'>,
  demoKey: DemoKey,
): Promise<ApiAccess> {
  if (values.sandbox === true && values.key !== undefined)
    throw usageError("--sandbox takes the demo's sandbox key; a --key decides by itself what it sees.");
  const ownKey = values.sandbox === true ? undefined : (values.key ?? config.apiKey);
  const ownUrl = values['api-url'] ?? config.apiUrl;
  const instead = 'Give --key and --api-url (or TOW_API_KEY and TOW_API_URL)';
  const wanted = { url: 'api_url', key: demoKey, instead } as const;
  const demo = ownKey && ownUrl ? undefined : await demoAccess(config.dataDir, wanted);
  const key = usableKey(String(ownKey ?? demo?.key));
  return { url: withoutTrailingSlashes(httpUrl('--api-url', String(ownUrl ?? demo?.url))), key };
}

/** A key without the blanks around it. @throws {CliError} `configuration` when it can be none of ours */
export function usableKey(text: string): string {
  const key = text.trim();
  if (isWellFormedKey(key)) return key;
  throw new CliError(
    'configuration',
    'The key is none: a character is missing or wrong.',
    EXIT.configuration,
  );
}

/**
 * One of the addresses of the demo and one of its first company's keys.
 * @param wanted their names in demo.json, and what to do without a demo
 * @throws {CliError} `configuration`
 */
export async function demoAccess(
  dataDir: string,
  { url, key, instead }: { url: 'api_url' | 'mcp_url'; key: DemoKeyField; instead: string },
): Promise<ApiAccess> {
  const path = demoFilePath(dataDir);
  try {
    const demo = JSON.parse(await readFile(path, 'utf8')) as DemoFile;
    const [tenant] = demo.tenants;
    if (tenant?.[key] && demo[url]) return { url: demo[url], key: tenant[key] };
    throw new Error('it lacks something');
  } catch (error) {
    const why = errorCodeOf(error) === 'ENOENT' ? 'is not there' : `cannot be used (${reasonOf(error)})`;
    const message = `${instead}: ${path}, which \`npm start\` writes for its demo, ${why}.`;
    throw new CliError('configuration', message, EXIT.configuration, { cause: error });
  }
}

/** Checks what is to be an address of HTTP. @throws {CliError} `usage` */
export function httpUrl(option: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw usageError(`${option} must be an address such as http://localhost:4000/hook.`);
  if (url.username || url.password) throw usageError(`${option} cannot hold a name or a password.`);
  return text;
}
