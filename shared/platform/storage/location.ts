import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Joi from 'joi';
import { withoutTrailingSlashes } from '../trailing-slashes.js';

export interface FolderLocation {
  kind: 'folder';
  /** Absolute. */
  path: string;
}

export interface S3Location {
  kind: 's3';
  bucket: string;
  /** Segments before every key, without slashes at the ends; '' is none. */
  prefix: string;
  /** Undefined: Amazon's own. */
  endpoint: string | undefined;
  /** Undefined: what the SDK finds by itself. */
  region: string | undefined;
}

/** Where objects lie. */
export type StorageLocation = FolderLocation | S3Location;

interface StorageSettings {
  STORAGE_URL?: string;
  S3_ENDPOINT?: string;
  AWS_REGION?: string;
}

const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9][\w.-]*)*)\/?$/;

/** Checks STORAGE_URL. */
export const storageAddress: Joi.CustomValidator<string> = (text, helpers) => {
  const refuse = (what: string) => helpers.message({ custom: `"STORAGE_URL" must be ${what}` });
  if (/^s3:/i.test(text)) return S3_ADDRESS.test(text) ? text : refuse('s3://bucket or s3://bucket/prefix');
  if (/^file:/i.test(text)) {
    return URL.canParse(text) && /^file:\/\/\/./.test(text) && new URL(text).host === ''
      ? text
      : refuse('file:/// and the path of a folder');
  }
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? refuse('a folder, file:///… or s3://bucket/prefix') : text;
};

/** Where exports lie by the settings. @param dataDir absolute */
export function storageLocation(value: StorageSettings, dataDir: string): StorageLocation {
  const { STORAGE_URL: address } = value;
  if (!address) return { kind: 'folder', path: join(dataDir, 'exports') };
  const [, bucket, prefix = ''] = S3_ADDRESS.exec(address) ?? [];
  if (bucket) {
    return {
      kind: 's3',
      bucket,
      prefix: prefix.slice(1),
      endpoint: value.S3_ENDPOINT && withoutTrailingSlashes(value.S3_ENDPOINT),
      region: value.AWS_REGION,
    };
  }
  return { kind: 'folder', path: address.startsWith('file:') ? fileURLToPath(address) : resolve(address) };
}

/** Settings of storage that do not go together. */
export function storageContradictions({ STORAGE_URL, S3_ENDPOINT, AWS_REGION }: StorageSettings): string[] {
  const isS3 = STORAGE_URL?.startsWith('s3:') ?? false;
  if (S3_ENDPOINT && !isS3) {
    return [
      '"S3_ENDPOINT" is set without a bucket in "STORAGE_URL" (for example STORAGE_URL=s3://exports/tow)',
    ];
  }
  if (isS3 && !S3_ENDPOINT && !AWS_REGION) {
    return ['"AWS_REGION" is required with a bucket of Amazon\'s (for example AWS_REGION=eu-central-1)'];
  }
  return [];
}
