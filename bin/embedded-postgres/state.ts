/** The state of the embedded PostgreSQL between runs: `<dataDir>/postgres.json`. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writePrivateFile } from '../../shared/platform/files/private-file.js';
import { syncFolder } from '../../shared/platform/files/sync-folder.js';
import { findErrorCode } from './process.js';

export interface ClusterState {
  /** Cluster folder: absolute, or relative to DATA_DIR so that DATA_DIR can be moved. */
  cluster: string;
  /** True if the cluster has ever been complete. A missing cluster then causes a warning. */
  initialized: boolean;
  /** TCP port on 127.0.0.1; 0 if none has been chosen yet. */
  port: number;
  superuserPassword: string;
  ownerPassword: string;
}

/** Returns 192 random bits as hexadecimal digits, safe in a URL. */
export function generatePassword(): string {
  return randomBytes(24).toString('hex');
}

function stateFile(dataDir: string): string {
  return path.join(dataDir, 'postgres.json');
}

function isState(value: unknown): value is ClusterState {
  if (typeof value !== 'object' || value === null) return false;
  const types: Record<keyof ClusterState, string> = {
    cluster: 'string',
    initialized: 'boolean',
    port: 'number',
    superuserPassword: 'string',
    ownerPassword: 'string',
  };
  return Object.entries(types).every(([field, type]) => typeof Reflect.get(value, field) === type);
}

/**
 * Reads postgres.json. Resolves with undefined on the first run, when the file does not exist.
 * @throws if postgres.json is unusable, because a new file would lack the existing passwords
 */
export async function readState(dataDir: string): Promise<ClusterState | undefined> {
  const file = stateFile(dataDir);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  let state: unknown;
  try {
    state = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not valid JSON; restore it, or move DATA_DIR away to start afresh`, {
      cause,
    });
  }
  if (!isState(state)) {
    throw new Error(`${file} lacks fields; restore it, or move DATA_DIR away to start afresh`);
  }
  return state;
}

/** Writes postgres.json (mode 0600), completely or not at all, and returns after it is on disk. */
export async function writeState(dataDir: string, state: ClusterState): Promise<void> {
  await writePrivateFile(stateFile(dataDir), `${JSON.stringify(state, null, 2)}\n`);
  await syncFolder(dataDir);
}
