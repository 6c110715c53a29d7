import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Joi from 'joi';
import { stripTrailingSlashes } from './trailing-slashes.js';

export interface FolderLocation {
  kind: 'folder';
  /** Absolute path. */
  path: string;
}

export interface S3Location {
  kind: 's3';
  bucket: string;
  /** Prefix of every key, without a slash at either end; empty for none. */
  prefix: string;
  /** Undefined for Amazon S3. */
  endpoint: string | undefined;
  /** May be undefined only if `endpoint` is set. Signatures then contain the region us-east-1. */
  region: string | undefined;
}

export type StorageLocation = FolderLocation | S3Location;

interface StorageSettings {
  STORAGE_URL?: string;
  S3_ENDPOINT?: string;
  AWS_REGION?: string;
}

const S3_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9][\w.-]*)*)\/?$/;

export const validateStorageUrl: Joi.CustomValidator<string> = (text, helpers) => {
  const reject = (expected: string) => helpers.message({ custom: `"STORAGE_URL" must be ${expected}` });
  if (/^s3:/i.test(text)) return S3_URL.test(text) ? text : reject('s3://bucket or s3://bucket/prefix');
  if (/^file:/i.test(text)) {
    return URL.canParse(text) && /^file:\/\/\/./.test(text) && new URL(text).host === ''
      ? text
      : reject('file:/// followed by the path of a folder');
  }
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? reject('a folder, file:///… or s3://bucket/prefix') : text;
};

/** @param dataDir absolute path */
export function resolveStorageLocation(value: StorageSettings, dataDir: string): StorageLocation {
  const { STORAGE_URL: storageUrl } = value;
  if (!storageUrl) return { kind: 'folder', path: join(dataDir, 'exports') };
  const [, bucket, prefix = ''] = S3_URL.exec(storageUrl) ?? [];
  if (bucket) {
    return {
      kind: 's3',
      bucket,
      prefix: prefix.slice(1),
      endpoint: value.S3_ENDPOINT && stripTrailingSlashes(value.S3_ENDPOINT),
      region: value.AWS_REGION,
    };
  }
  return {
    kind: 'folder',
    path: storageUrl.startsWith('file:') ? fileURLToPath(storageUrl) : resolve(storageUrl),
  };
}

export function findStorageConflicts({ STORAGE_URL, S3_ENDPOINT, AWS_REGION }: StorageSettings): string[] {
  const isS3 = STORAGE_URL?.startsWith('s3:') ?? false;
  if (S3_ENDPOINT && !isS3) {
    return [
      '"S3_ENDPOINT" is set without an S3 bucket in "STORAGE_URL" (for example STORAGE_URL=s3://exports/tow)',
    ];
  }
  if (isS3 && !S3_ENDPOINT && !AWS_REGION) {
    return ['"AWS_REGION" is required for an Amazon S3 bucket (for example AWS_REGION=eu-central-1)'];
  }
  return [];
}
