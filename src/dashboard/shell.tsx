import {
  ActionIcon,
  Anchor,
  AppShell,
  Burger,
  Button,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Suspense } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { useMutation } from '@tanstack/react-query';
import { api, basePath } from './api/client.js';
import { ClosedPage } from './components/page.js';
import { Empty, Loading } from './components/loaded.js';
import { type NavigatedPage, pages } from './pages.js';
import { useMay, useSession, useSessionChange } from './session/session.js';
import { texts } from './texts/texts.js';

const { navigation, common } = texts;

/** Where people sign in; who is signed in goes on to the start page. */
const strangersPaths = ['/sign-in', '/sign-up', '/claim', '/forgot-password'];

/** The frame of every page for signed-in people: header, navigation, content. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
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
        <Suspense fallback={<Loading />}>
          <CurrentPage />
        </Suspense>
      </AppShell.Main>
    </AppShell>
  );
}

function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const [location] = useLocation();
  const current = location.split('/')[1] ?? '';
  const open = useOpenPages();
  return (
    <AppShell.Section grow component={ScrollArea}>
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
      <NavLink href={`${basePath}/docs`} label={navigation.reference} />
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
  return (
    <Switch>
      {pages.map((page) => (
        <Route key={page.path} path={page.path === '' ? '/' : `/${page.path}/*?`}>
          {open.includes(page) ? <page.Content /> : <Closed page={page} first={open[0]} />}
        </Route>
      ))}
      {strangersPaths.map((path) => (
        <Route key={path} path={path}>
          <Redirect to="/" replace />
        </Route>
      ))}
      <Route>
        <Empty
          title={common.notFound}
          hint={common.notFoundHint}
          actions={
            <Anchor component={Link} href="/">
              {common.goHome}
            </Anchor>
          }
        />
      </Route>
    </Switch>
  );
}

/** In place of a page that needs more rights; the start page leads to one that does not. */
function Closed({ page, first }: { page: NavigatedPage; first: NavigatedPage | undefined }) {
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
