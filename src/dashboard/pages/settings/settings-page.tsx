import { Tabs, Anchor, Box, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { type ComponentType, lazy, Suspense, useState } from 'react';
import { useLocation } from 'wouter';
import { importPart } from '../../api/connection.js';
import { Loading } from '../../components/loaded.js';
import { NotFound, Page, Panel } from '../../components/page.js';
import { useAccount, useMay, leave } from '../../session/session.js';
import { CredentialsForm } from '../../session/strangers.js';
import { texts } from '../../texts/texts.js';
import { api, basePath } from '../../api/client.js';
import { ConfirmButton } from '../../components/dialog.js';
import { typed } from '../../components/fields.js';

const text = texts.settings;

type Tab = keyof typeof text.tabs;
const tabs = Object.keys(text.tabs) as Tab[];
const contents: Readonly<Record<Tab, ComponentType<{ isAdmin: boolean }>>> = {
  account: OwnAccount,
  accounts: lazy(() => importPart(() => import('./accounts.js'))),
  configuration: lazy(() => importPart(() => import('./configuration.js'))),
  alerts: lazy(() => importPart(() => import('./alerts.js'))),
  audit: lazy(() => importPart(() => import('./audit-log.js'))),
};

/** The page `/settings`; each tab has a path of its own. */
export default function SettingsPage() {
  const may = useMay();
  const isAdmin = useAccount().role === 'admin' && may('admin');
  const [location, navigate] = useLocation();
  const asked = location.split('/')[2] ?? 'account';
  const open = tabs.filter(
    (tab) => tab === 'account' || isAdmin || (tab === 'audit' && may('admin')),
  );
  const shown = open.find((tab) => tab === asked);
  if (!shown) return <NotFound />;
  const Content = contents[shown];
  const show = (tab: string | null): void =>
    navigate(tab === null || tab === 'account' ? '/settings' : `/settings/${tab}`);
  return (
    <Page title={texts.navigation.settings} lead={text.lead}>
      <Tabs value={shown} onChange={show} keepMounted={false}>
        <Tabs.List mb="lg">
          {open.map((tab) => (
            <Tabs.Tab key={tab} value={tab}>
              {text.tabs[tab]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={shown}>
          <Suspense fallback={<Loading />}>
            <Content isAdmin={isAdmin} />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

/** The account of who is signed in. */
function OwnAccount() {
  const { id, email } = useAccount();
  const mayExport = useMay()('admin');
  return (
    <Stack gap="lg" maw={960}>
      {email === null ? (
        <Text size="sm">{text.noPassword}</Text>
      ) : (
        <>
          <Panel title={texts.common.password} lead={text.passwordLead}>
            <Box maw={360}>
              <CredentialsForm
                names={['currentPassword', 'changedPassword']}
                hasFocus={false}
                action={text.changePassword}
                submit={({ currentPassword, password: newPassword }) =>
                  api.POST('/api/v1/auth/password', { body: { currentPassword, newPassword } })
                }
                done={text.passwordChanged}
              />
            </Box>
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
        {...typed(password, setPassword)}
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
