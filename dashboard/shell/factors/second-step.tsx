import { Anchor, Stack, Text } from '@mantine/core';
import { client } from '../../api/client';
import { Problem } from '../../api/problem';
import { type FactorChallenge, type Proof, ProveFactor } from '../../parts/factors/prove-factor';

export type { FactorChallenge };

/**
 * Returns the challenge for the second factor. Returns undefined for any problem other than a
 * missing second factor.
 */
export function readChallenge({ code, faults }: Problem): FactorChallenge | undefined {
  return code === 'factor_required' ? (faults[0] as unknown as FactorChallenge | undefined) : undefined;
}

/** The second step of a sign-in. */
export function SecondStep({
  challenge,
  onDone,
  onBack,
}: {
  challenge: FactorChallenge;
  onDone: (userId: string) => void;
  onBack: () => void;
}) {
  const send = async (proof: Proof) => {
    const body = { challenge: challenge.challenge, ...proof };
    const { data } = await client.POST('/session/factor', { body });
    if (!data) throw new Problem(0, { code: 'network', message: 'The server sent no session. Try again.' });
    onDone(data.user.id);
  };
  return (
    <Stack gap="sm">
      <Text size="sm">The password is right. Now confirm that it is you.</Text>
      <ProveFactor challenge={challenge} submitLabel="Sign in" onProof={send} />
      <Anchor component="button" type="button" size="sm" onClick={onBack}>
        Begin again
      </Anchor>
    </Stack>
  );
}
