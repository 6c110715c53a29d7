import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { api, client } from '../../api/client';
import { answerQuestion } from '../../api/step-up';
import { Loading } from '../../parts/basics/loading';
import { type Proof, ProveFactor } from '../../parts/factors/prove-factor';
import { ProblemAlert } from '../../parts/feedback/problem-alert';

/**
 * Asks for a second factor again. Meanwhile the write waits, and its form keeps the typed values.
 */
export function StepUp() {
  const { data, error, refetch } = api.useQuery('get', '/session/challenge', {}, { gcTime: 0, staleTime: 0 });
  const send = async (proof: Proof) => {
    await client.POST('/session/confirm', {
      body: { ...proof, ...(proof.passkey && data ? { challenge: data.challenge } : {}) },
    });
    answerQuestion(true);
  };
  const cancel = () => answerQuestion(false);
  return (
    <Modal opened onClose={cancel} title="Confirm that it is you" zIndex={400}>
      <Stack gap="sm">
        <Text size="sm">
          This change needs your second factor. After that, you are not asked for ten minutes.
        </Text>
        {!data && !error && <Loading rows={2} />}
        {error && !data && <ProblemAlert problem={error} onRetry={() => void refetch()} />}
        {data && <ProveFactor challenge={data} submitLabel="Confirm" onProof={send} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
