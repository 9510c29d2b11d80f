import {
  ActionIcon,
  Alert,
  Anchor,
  AppShell,
  Burger,
  Button,
  Group,
  NavLink,
  Stack,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ComponentType, lazy, Suspense } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { useMutation } from '@tanstack/react-query';
import { api, basePath } from './api/client.js';
import { importPart } from './api/connection.js';
import { useRead } from './api/queries.js';
import { ClosedPage, NotFound, Page } from './components/page.js';
import { Loading, PageBoundary } from './components/loaded.js';
import { leave, type Scope, useMay, useSession } from './session/session.js';
import { texts } from './texts/texts.js';

const { navigation, common } = texts;

type Load = () => Promise<{ default: ComponentType }>;

const rows: readonly (readonly [keyof typeof navigation, Scope | null, Load])[] = [
  ['overview', 'admin', () => import('./pages/overview/overview-page.js')],
  ['playground', 'completions', () => import('./pages/playground/playground-page.js')],
  ['conversations', 'completions', () => import('./pages/conversations/conversations-page.js')],
  ['requests', 'admin', () => import('./pages/requests/requests-page.js')],
  ['models', null, () => import('./pages/models/models-page.js')],
  ['preferences', null, () => import('./pages/preferences/preferences-page.js')],
  ['keys', 'admin', () => import('./pages/keys/keys-page.js')],
  ['connect', 'completions', () => import('./pages/connect/connect-page.js')],
  ['settings', null, () => import('./pages/settings/settings-page.js')],
  ['reference', null, () => import('./pages/reference/reference-page.js')],
];

/** Pages whose paths have one more segment: `/requests/<id>`. */
const withMore = ['conversations', 'requests', 'preferences', 'settings', 'reference'];

/** The pages in the order of the navigation. `src/http/dashboard/` serves the same paths. */
const pages = rows.map(([name, needs, load]) => ({
  /** The first segment of its path; `''` is the start page. */
  path: name === 'overview' ? '' : name,
  hasMore: withMore.includes(name),
  label: navigation[name],
  /** What its readers must be allowed to do; null: nothing more than to be signed in. */
  needs,
  /** Loaded when it is first shown. */
  Content: lazy(() => importPart(load)),
}));

type NavigatedPage = (typeof pages)[number];

/** Where people sign in; who is signed in goes on to the start page. */
const strangersPaths = ['/sign-in', '/sign-up', '/claim', '/forgot-password'];

/**
 * The frame of every page for signed-in people: header, navigation, content. It stands before it is
 * known who is signed in.
 */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const [, page] = useLocation()[0].split('/');
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <AppShell.Header px="md">
        <Anchor href="#content" className="skip-link">
          {navigation.skip}
        </Anchor>
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" flex="none">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={navigation.open}
            />
            <img src={`${basePath}/icon.svg`} alt="" width={24} height={24} />
            <Text fw={700}>Signalbox</Text>
          </Group>
          <Group gap="xs" wrap="nowrap" miw={0}>
            <ThemeSwitch />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={navigation.label}>
        <Navigation onNavigate={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <PageBoundary key={page}>
          <Trouble />
          <CurrentPage />
        </PageBoundary>
      </AppShell.Main>
    </AppShell>
  );
}

function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const [location] = useLocation();
  const current = location.split('/')[1] ?? '';
  const open = useOpenPages();
  // none that may be taken away again
  if (!useSession().data) return <Loading lines={pages.length} />;
  return (
    <AppShell.Section grow style={{ overflowY: 'auto' }}>
      {open.map(({ path, label }) => (
        <NavLink
          key={path}
          component={Link}
          href={`/${path}`}
          label={label}
          active={path === current}
          aria-current={path === current ? 'page' : undefined}
          onClick={onNavigate}
        />
      ))}
    </AppShell.Section>
  );
}

/** The pages that who is signed in may use. */
function useOpenPages(): readonly NavigatedPage[] {
  const may = useMay();
  return pages.filter(({ needs }) => needs === null || may(needs));
}

function CurrentPage() {
  const open = useOpenPages();
  const { data: session } = useSession();
  return (
    <Switch>
      {pages.map((page) => (
        <Route key={page.path} path={`/${page.path}${page.hasMore ? '/:more?' : ''}`}>
          <Suspense fallback={<Coming page={page} />}>
            {!session ? (
              <Coming page={page} />
            ) : open.includes(page) ? (
              <page.Content />
            ) : (
              <Closed page={page} first={open[0]} />
            )}
          </Suspense>
        </Route>
      ))}
      {strangersPaths.map((path) => (
        <Route key={path} path={path}>
          {session ? <Redirect to="/" replace /> : <Loading />}
        </Route>
      ))}
      <Route component={NotFound} />
    </Switch>
  );
}

const Coming = ({ page }: { page: NavigatedPage }) => (
  <Page title={page.label}>
    <Loading />
  </Page>
);

/** What of the gateway itself needs an administrator, on every page. */
function Trouble() {
  const isAdmin = useSession().data?.account.role === 'admin';
  const { data } = useRead('/readyz', {}, { refetchInterval: 30_000, enabled: isAdmin });
  const words: Readonly<Record<string, string>> = common.trouble;
  return [data?.database, data?.counters].map((state) =>
    state && words[state] ? (
      <Alert key={state} color="red" role="alert" mb="lg">
        {words[state]}
      </Alert>
    ) : null,
  );
}

/** In place of a page that needs more rights; the start page leads to one that does not. */
function Closed({ page, first }: { page: NavigatedPage; first?: NavigatedPage }) {
  if (page.path === '' && first) return <Redirect to={`/${first.path}`} replace />;
  return page.needs === null ? null : <ClosedPage title={page.label} scope={page.needs} />;
}

function ThemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={isDark ? navigation.light : navigation.dark}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      <span aria-hidden>{isDark ? '☀' : '☾'}</span>
    </ActionIcon>
  );
}

/** Who is signed in, with the way to the account's settings and out. */
function AccountMenu() {
  const { data: session } = useSession();
  const leaving = useMutation({
    mutationFn: () => api.POST('/api/v1/auth/sign-out'),
    onSettled: leave,
  });
  if (!session) return null;
  const { name, csrfToken } = session;
  return (
    <>
      <Button variant="default" size="sm" maw={260} miw={0} px="sm" popoverTarget="account-menu">
        <Text truncate size="sm">
          {name}
        </Text>
      </Button>
      {/* the browser's own: a library's menu would add 30 kB to the first load */}
      <div id="account-menu" popover="auto" onClick={(event) => event.currentTarget.hidePopover()}>
        <Stack gap={0}>
          <NavLink component={Link} href="/settings" label={navigation.settings} />
          {csrfToken === null ? null : (
            <NavLink
              component="button"
              label={navigation.signOut}
              onClick={() => leaving.mutate()}
            />
          )}
        </Stack>
      </div>
    </>
  );
}
