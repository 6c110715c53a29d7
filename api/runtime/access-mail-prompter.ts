import { NO_TENANT, newId } from '../../shared/platform/ids.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { ACCESS_MAILS_PROMPT } from '../../shared/queues/messages.js';
import { createPrompter } from '../../shared/queues/prompts.js';

/**
 * Returns a function that adds a wake-up job for mails that requests without a credential have
 * caused, such as sign-ups. If adding the job fails, the clock finds the mails.
 */
export function createAccessMailPrompter(runtime: Runtime): () => Promise<void> {
  const prompt = createPrompter(runtime);
  return () =>
    prompt(ACCESS_MAILS_PROMPT, [{ tenantId: NO_TENANT, id: newId() }]).catch((error: unknown) =>
      runtime.logger.warn({ err: error }, 'could not add a wake-up job for mails; the clock will'),
    );
}
