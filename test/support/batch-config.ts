import { loadConfig } from '../../shared/platform/config.js';

/** The configuration of batches that a test runs itself, without a process around them. */
export const batchConfig = loadConfig('all', {
  SECRET_KEY: 'a secret of the tests, long enough for anybody',
});
