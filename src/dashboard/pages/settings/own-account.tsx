import { Anchor, Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useRef, useState } from 'react';
import { api, basePath } from '../../api/client.js';
import { ConfirmButton } from '../../components/dialog.js';
import { Failure } from '../../components/loaded.js';
import { Panel } from '../../components/page.js';
import { useAccount, useMay, leave } from '../../session/session.js';
import { texts } from '../../texts/texts.js';

const text = texts.settings;

/** The account of who is signed in. */
export function OwnAccount() {
  const { id, email } = useAccount();
  const mayExport = useMay()('admin');
  return (
    <Stack gap="lg" maw={960}>
      {email === null ? (
        <Text size="sm">{text.noPassword}</Text>
      ) : (
        <>
          <Panel title={text.password} lead={text.passwordLead}>
            <PasswordForm />
          </Panel>
          <Browsers />
        </>
      )}
      {mayExport ? (
        <Panel title={text.data} lead={text.dataLead}>
          <Anchor href={`${basePath}/api/v1/accounts/${encodeURIComponent(id)}/export`} download>
            {text.export}
          </Anchor>
        </Panel>
      ) : null}
      {email === null ? null : <Deletion id={id} />}
    </Stack>
  );
}

function PasswordForm() {
  const form = useRef<HTMLFormElement>(null);
  const changing = useMutation({
    mutationFn: (body: { currentPassword: string; newPassword: string }) =>
      api.POST('/api/v1/auth/password', { body }),
    onSuccess: () => form.current?.reset(),
  });
  const send = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const of = (name: string): string => fields.get(name) as string;
    changing.mutate({ currentPassword: of('currentPassword'), newPassword: of('newPassword') });
  };
  return (
    <form ref={form} onSubmit={send}>
      <Stack gap="sm" maw={360}>
        <PasswordInput
          name="currentPassword"
          label={text.currentPassword}
          autoComplete="current-password"
          required
        />
        <PasswordInput
          name="newPassword"
          label={text.newPassword}
          description={text.passwordRule}
          autoComplete="new-password"
          minLength={8}
          required
        />
        {changing.error ? <Failure error={changing.error} /> : null}
        <Group>
          <Button type="submit" loading={changing.isPending}>
            {text.changePassword}
          </Button>
          <Text size="sm" role="status">
            {changing.isSuccess ? text.passwordChanged : ''}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

function Browsers() {
  const act = async (): Promise<void> => {
    await api.POST('/api/v1/auth/sign-out', { body: { everywhere: true } });
    leave();
  };
  return (
    <Panel title={text.browsers} lead={text.browsersLead}>
      <Group>
        <ConfirmButton label={text.signOutAll} question={text.signOutAllQuestion} act={act} />
      </Group>
    </Panel>
  );
}

function Deletion({ id }: { id: string }) {
  const [password, setPassword] = useState('');
  const act = async (): Promise<void> => {
    await api.DELETE('/api/v1/accounts/{id}', { params: { path: { id } }, body: { password } });
    leave();
  };
  return (
    <Panel title={text.deleteAccount} lead={text.deleteLead}>
      <PasswordInput
        maw={360}
        label={text.deletePassword}
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Group>
        <ConfirmButton
          label={text.deleteAccount}
          question={text.deleteQuestion}
          act={act}
          disabled={password === ''}
        />
      </Group>
    </Panel>
  );
}
