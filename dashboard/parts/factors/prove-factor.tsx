import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import { type FormEvent, useState } from 'react';
import { type Problem, splitFaults, toProblem } from '../../api/problem';
import type { Schemas } from '../../api/records';
import { ProblemAlert } from '../feedback/problem-alert';
import { signWithPasskey } from './passkeys';

export type FactorChallenge = Schemas['FactorChallenge'];
export type Proof = Omit<Schemas['FactorProof'], 'challenge'>;
type Kind = Schemas['FactorKind'];

const WAYS: Record<Kind, { offer: string; label: string; field: keyof Proof; hint: string }> = {
  passkey: { offer: 'Use a passkey', label: '', field: 'passkey', hint: '' },
  totp: {
    offer: 'Use a code of the authenticator app',
    label: 'Code',
    field: 'code',
    hint: 'The six digits that your authenticator app shows.',
  },
  recovery_codes: {
    offer: 'Use a recovery code',
    label: 'Recovery code',
    field: 'recovery_code',
    hint: 'Each recovery code works once.',
  },
};

/**
 * Asks for one of the person's second factors.
 * @param onProof sends the proof; this component shows a failure
 */
export function ProveFactor({
  challenge,
  submitLabel,
  onProof,
}: {
  challenge: FactorChallenge;
  submitLabel: string;
  onProof: (proof: Proof) => Promise<void>;
}) {
  const ways = (['passkey', 'totp', 'recovery_codes'] as const).filter((kind) =>
    challenge.kinds.includes(kind),
  );
  const [kind, setKind] = useState<Kind>(ways[0] ?? 'totp');
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<Problem>();
  const [isRunning, setRunning] = useState(false);
  const { label, field, hint } = WAYS[kind];
  const { errors, rest } = problem ? splitFaults(problem, [field]) : { errors: {}, rest: undefined };
  const fault = (errors as Record<string, string>)[field];
  const run = async (getProof: () => Promise<Proof>) => {
    setRunning(true);
    setProblem(undefined);
    try {
      await onProof(await getProof());
    } catch (error) {
      setProblem(toProblem(error));
      setRunning(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // React also passes the event to a form around this form. Stop it, so that the outer form is
    // not sent.
    event.stopPropagation();
    void run(async () => {
      if (kind !== 'passkey') return { [field]: text };
      const options = challenge.passkey as unknown as PublicKeyCredentialRequestOptionsJSON;
      return { passkey: { ...(await signWithPasskey(options)) } };
    });
  };
  const choose = (next: Kind) => {
    setKind(next);
    setText('');
    setProblem(undefined);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {kind === 'passkey' ? (
          <Text size="sm">Your browser asks for the passkey of this device or of a security key.</Text>
        ) : (
          <TextInput
            key={kind}
            data-autofocus
            label={label}
            description={hint}
            autoComplete={kind === 'totp' ? 'one-time-code' : 'off'}
            inputMode={kind === 'totp' ? 'numeric' : 'text'}
            value={text}
            error={fault}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        {problem && (rest || kind === 'passkey') && (
          <ProblemAlert problem={problem} text={rest ?? fault ?? problem.message} />
        )}
        <Button
          type="submit"
          loading={isRunning}
          disabled={kind !== 'passkey' && text.trim() === ''}
          fullWidth
        >
          {kind === 'passkey' ? WAYS.passkey.offer : submitLabel}
        </Button>
        {ways
          .filter((way) => way !== kind)
          .map((way) => (
            <Anchor key={way} component="button" type="button" size="sm" onClick={() => choose(way)}>
              {WAYS[way].offer}
            </Anchor>
          ))}
      </Stack>
    </form>
  );
}
