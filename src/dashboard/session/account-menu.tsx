import { Button, Menu, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../api/client.js';
import { texts } from '../texts/texts.js';
import { useSession, useSessionChange } from './session.js';

const { navigation } = texts;

/** Who is signed in, with the way to the account's settings and out. */
export function AccountMenu() {
  const { data: session } = useSession();
  const changed = useSessionChange();
  const leaving = useMutation({
    mutationFn: () => api.POST('/api/v1/auth/sign-out'),
    onSettled: changed,
  });
  if (!session) return null;
  const { name, csrfToken } = session;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="default" size="sm" maw={260} miw={0} px="sm">
          <Text truncate size="sm">
            {name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} href="/settings">
          {navigation.settings}
        </Menu.Item>
        {csrfToken === null ? null : (
          <Menu.Item onClick={() => leaving.mutate()}>{navigation.signOut}</Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
