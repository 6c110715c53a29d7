import { Button, Center, Modal, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { client } from '../api/client';
import { type Problem, splitFaults, toProblem } from '../api/problem';
import { queryClient } from '../api/query-client';
import { resumeSession } from '../api/session';
import { SignInLinks } from '../joining/sign-in-links';
import { ProblemAlert } from '../parts/feedback/problem-alert';
import { type FactorChallenge, readChallenge, SecondStep } from './factors/second-step';

/** The page for a person who is not signed in. */
export function SignIn() {
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="lg" w="100%" maw={380}>
        <Title order={1} size="h3" mb="md">
          Sign in
        </Title>
        <SignInForm onDone={() => void queryClient.resetQueries()} />
        <SignInLinks />
      </Paper>
    </Center>
  );
}

/**
 * Asks for the password when a session has ended. The page stays open behind the dialog, with all
 * typed values.
 */
export function SignInAgain({ person }: { person: { id: string; email: string } }) {
  const finish = (userId: string) => {
    // If another person has signed in, load a new page. That person must not see the first person's
    // page.
    if (userId !== person.id) window.location.assign('/app/');
    else void queryClient.invalidateQueries();
  };
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      title="Your session has ended"
      zIndex={500}
    >
      <Text mb="sm">Sign in again. What you have typed is still here.</Text>
      <SignInForm email={person.email} onDone={finish} />
    </Modal>
  );
}

function SignInForm({
  email: knownEmail = '',
  onDone,
}: {
  email?: string;
  onDone: (userId: string) => void;
}) {
  const [email, setEmail] = useState(knownEmail);
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<Problem>();
  const [isRunning, setRunning] = useState(false);
  const [challenge, setChallenge] = useState<FactorChallenge>();
  const { errors, rest } = problem
    ? splitFaults(problem, ['email', 'password'])
    : { errors: {}, rest: undefined };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setRunning(true);
    try {
      const { data } = await client.POST('/session', { body: { email, password } });
      resumeSession();
      onDone(data?.user.id ?? '');
    } catch (error) {
      const failure = toProblem(error);
      const asked = readChallenge(failure);
      setChallenge(asked);
      setProblem(asked ? undefined : failure);
    } finally {
      setRunning(false);
    }
  };
  if (challenge) {
    const finish = (userId: string) => {
      resumeSession();
      onDone(userId);
    };
    return <SecondStep challenge={challenge} onDone={finish} onBack={() => setChallenge(undefined)} />;
  }
  const fault = (name: string) => (errors as Record<string, string>)[name];
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="sm">
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          value={email}
          error={fault('email')}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          error={fault('password')}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {rest && <ProblemAlert problem={problem} text={rest} />}
        <Button type="submit" loading={isRunning} fullWidth>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
