import { Tabs } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useLocation } from 'wouter';
import { importPart } from '../../api/connection.js';
import { Loading } from '../../components/loaded.js';
import { Page } from '../../components/page.js';
import { useAccount, useMay } from '../../session/session.js';
import { texts } from '../../texts/texts.js';
import { OwnAccount } from './own-account.js';

const text = texts.settings;
const Accounts = lazy(() => importPart(() => import('./accounts.js')));
const Configuration = lazy(() => importPart(() => import('./configuration.js')));
const Alerts = lazy(() => importPart(() => import('./alerts.js')));
const AuditLog = lazy(() => importPart(() => import('./audit-log.js')));

type Tab = keyof typeof text.tabs;
const tabs = Object.keys(text.tabs) as Tab[];

/** The page `/settings`; each tab has a path of its own. */
export default function SettingsPage() {
  const may = useMay();
  const isAdmin = useAccount().role === 'admin' && may('admin');
  const [location, navigate] = useLocation();
  const asked = location.split('/')[2];
  const open = tabs.filter(
    (tab) => tab === 'account' || isAdmin || (tab === 'audit' && may('admin')),
  );
  const shown = open.find((tab) => tab === asked) ?? 'account';
  const show = (tab: string | null): void =>
    navigate(tab === null || tab === 'account' ? '/settings' : `/settings/${tab}`);
  return (
    <Page title={text.title} lead={text.lead}>
      <Tabs value={shown} onChange={show} keepMounted={false}>
        <Tabs.List mb="lg">
          {open.map((tab) => (
            <Tabs.Tab key={tab} value={tab}>
              {text.tabs[tab]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Suspense fallback={<Loading />}>
          <Tabs.Panel value="account">
            <OwnAccount />
          </Tabs.Panel>
          <Tabs.Panel value="accounts">{isAdmin ? <Accounts /> : null}</Tabs.Panel>
          <Tabs.Panel value="configuration">{isAdmin ? <Configuration /> : null}</Tabs.Panel>
          <Tabs.Panel value="alerts">{isAdmin ? <Alerts /> : null}</Tabs.Panel>
          <Tabs.Panel value="audit">
            <AuditLog isAdmin={isAdmin} />
          </Tabs.Panel>
        </Suspense>
      </Tabs>
    </Page>
  );
}
