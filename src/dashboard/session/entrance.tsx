import { Center, Container, Loader } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Failure } from '../components/loaded.js';
import { Shell } from '../shell.js';
import { useSession } from './session.js';

/** The forms of strangers, which signed-in people need not load. */
const Strangers = lazy(() => import('./strangers.js'));

const Waiting = () => (
  <Center h="100vh">
    <Loader />
  </Center>
);

/** The pages for strangers, or the shell for who is signed in. */
export function Entrance() {
  const session = useSession();
  if (session.data) return <Shell />;
  if (session.data === null)
    return (
      <Suspense fallback={<Waiting />}>
        <Strangers />
      </Suspense>
    );
  if (session.error)
    return (
      <Container size="xs" py="xl">
        <Failure error={session.error} retry={() => void session.refetch()} />
      </Container>
    );
  return <Waiting />;
}
