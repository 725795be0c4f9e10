//! The release artefacts: the archive, the Debian package, and the requirements of a container. Each is built with the
//! program under test.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Ran, TURNPOST};

/// Runs a program that must succeed, and returns its output.
fn run(command: &mut Command) -> String {
    let ran: Ran = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}")).into();
    assert_eq!(ran.status, 0, "{command:?}: {ran:?}");
    ran.out
}

/// Runs a script from `deploy`, which packages the program under test and writes the result to a directory.
fn pack(script: &str, out: &Path) {
    let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(script));
    run(command.arg(out).arg(TURNPOST).env("DPKG_DEB_COMPRESSOR_TYPE", "none"));
}

/// Sets up a server with a program from a package, and plays a move.
fn play(program: &Path, data: &Path) {
    let turnpost = |words: &str| {
        run(Command::new(program).arg("--data").arg(data).args(words.split(' ')).env_remove("TURNPOST_DATA"))
    };
    assert!(turnpost("--version").starts_with(concat!("turnpost ", env!("CARGO_PKG_VERSION"))));
    run(Command::new(program)
        .arg("--data")
        .arg(data)
        .args(["quickstart", "--address", "play@club.example", "--mail", "postfix", "--url", ""]));
    turnpost("signup alice wonderland alice@example.org");
    turnpost("signup bob bricklayer bob@example.org");
    turnpost("marque challenge alice bob");
    assert!(turnpost("marque move 1 alice wonderland f3").contains("f3"));
}

/// Returns the paths of a program's shared libraries.
fn libraries(program: &Path) -> Vec<PathBuf> {
    let listed = run(Command::new("ldd").arg(program));
    listed
        .lines()
        .filter_map(|line| line.split_whitespace().find(|word| word.starts_with('/')))
        .map(Into::into)
        .collect()
}

/// Returns the relative paths of the files below a directory.
fn files(dir: &Path) -> Vec<String> {
    let found = run(Command::new("find").arg(dir).args(["-type", "f", "-printf", "%P\n"]));
    found.lines().map(str::to_owned).collect()
}

/// `deploy/try-release` repeats this test with a static program, whose build is slow. The program under test is linked
/// dynamically, and the archive's name says so.
#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs strip: ./test runs it")]
fn the_archive_of_a_release_contains_all_needed_files() {
    let dir = tempfile::tempdir().unwrap();
    pack("release", dir.path());
    let archive = fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().path());
    let archive = archive.into_iter().find(|path| path.extension().is_some_and(|end| end == "gz")).unwrap();
    let mut sum = archive.clone().into_os_string();
    sum.push(".sha256");
    run(Command::new("sha256sum").arg("--check").arg(sum).current_dir(dir.path()));
    run(Command::new("tar").arg("-xzf").arg(&archive).current_dir(dir.path()));
    let root = archive.with_extension("").with_extension("");
    assert!(root.to_string_lossy().ends_with("-linux-gnu"), "{root:?}");
    let files = files(&root);
    for file in [
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "docs/run/serving.md",
        "deploy/systemd/turnpost.service",
        "deploy/exim/router",
        "deploy/opensmtpd/smtpd.conf",
        "deploy/container/build",
        "man/turnpost-serve.1",
        "completions/turnpost.bash",
    ] {
        assert!(files.iter().any(|packed| packed == file), "{file} is not in {files:?}");
    }
    play(&root.join("turnpost"), &dir.path().join("games"));
}

/// `deploy/try-walk` installs the package and runs its units on a complete Debian.
#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs strip and dpkg-deb: ./test runs it")]
fn the_package_for_debian_contains_all_needed_files() {
    let dir = tempfile::tempdir().unwrap();
    pack("package-deb", dir.path());
    let package = fs::read_dir(dir.path()).unwrap().next().unwrap().unwrap().path();
    let (root, control) = (dir.path().join("root"), dir.path().join("control"));
    run(Command::new("dpkg-deb").arg("-x").arg(&package).arg(&root));
    run(Command::new("dpkg-deb").arg("-e").arg(&package).arg(&control));
    for script in ["postinst", "prerm", "postrm"] {
        run(Command::new("sh").arg("-n").arg(control.join(script)));
    }
    assert_eq!(fs::read_to_string(control.join("conffiles")).unwrap(), "/etc/turnpost/turnpost.toml\n");
    run(Command::new("md5sum").args(["--check", "--quiet"]).arg(control.join("md5sums")).current_dir(&root));
    let control = fs::read_to_string(control.join("control")).unwrap();
    assert!(control.contains("Depends: libc6 (>= 2.") && control.contains("), libgcc-s1, passwd\n"), "{control}");
    let libraries = libraries(&root.join("usr/bin/turnpost"));
    let depended_on = ["libgcc_s.so.1", "libm.so.6", "libc.so.6", "ld-linux"];
    let others: Vec<_> =
        libraries.iter().filter(|path| !depended_on.iter().any(|name| path.to_string_lossy().contains(name))).collect();
    assert!(others.is_empty() && !libraries.is_empty(), "{libraries:?}");
    let files = files(&root);
    for file in [
        "usr/share/man/man1/turnpost-admin.1.gz",
        "usr/share/bash-completion/completions/turnpost",
        "usr/share/zsh/vendor-completions/_turnpost",
        "usr/share/fish/vendor_completions.d/turnpost.fish",
        "usr/share/doc/turnpost/copyright",
        "usr/share/doc/turnpost/examples/exim/router",
        "usr/share/doc/turnpost/examples/opensmtpd/smtpd.conf",
        "usr/lib/systemd/system/turnpost-tick.timer",
    ] {
        assert!(files.iter().any(|packed| packed == file), "{file} is not in {files:?}");
    }
    let unit = fs::read_to_string(root.join("usr/lib/systemd/system/turnpost.service")).unwrap();
    assert!(unit.starts_with("[Unit]") && unit.contains("ExecStart=/usr/bin/turnpost serve\n"), "{unit}");
    // If `turnpost.toml` is a symbolic link, the configuration of a new server is written to the link's target.
    let data = dir.path().join("games");
    fs::create_dir(&data).unwrap();
    let configuration = root.join("etc/turnpost/turnpost.toml");
    std::os::unix::fs::symlink(&configuration, data.join("turnpost.toml")).unwrap();
    play(&root.join("usr/bin/turnpost"), &data);
    assert!(fs::read_to_string(configuration).unwrap().contains("address = \"play@club.example\""));
}

/// As in the image that `deploy/container` builds, the root directory is read-only and contains only the program and
/// its libraries, and the user has no name. `deploy/try-container` tests the image itself.
#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs root: ./test runs it")]
fn the_program_needs_no_other_file_in_a_container() {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        eprintln!("skipped: only root can change the root directory");
        return;
    }
    const USER: u32 = 65_532;
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fs::set_permissions(root, Permissions::from_mode(0o755)).unwrap();
    for file in libraries(Path::new(TURNPOST)).into_iter().chain([TURNPOST.into()]) {
        let name = if file.ends_with("turnpost") { Path::new("/turnpost") } else { &file };
        let inside = root.join(name.strip_prefix("/").unwrap());
        fs::create_dir_all(inside.parent().unwrap()).unwrap();
        fs::copy(&file, inside).unwrap();
    }
    fs::create_dir(root.join("data")).unwrap();
    chown(root.join("data"), Some(USER), Some(USER)).unwrap();
    let command = |words: &str| {
        let mut command = Command::new("chroot");
        command.arg(format!("--userspec={USER}:{USER}")).arg(root).args(["/turnpost", "--data", "/data"]);
        command.args(words.split(' ')).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command
    };
    let turnpost = |words: &str| run(&mut command(words));
    turnpost("signup alice wonderland alice@example.org");
    turnpost("signup bob bricklayer bob@example.org");
    turnpost("marque challenge alice bob");
    turnpost("marque move 1 alice wonderland f3");
    // Mail is processed in savepoints, for which SQLite writes temporary files unless configured otherwise.
    let mail = root.join("data/mail");
    fs::write(&mail, "From: bob@example.org\nTo: play@example.org\nSubject: marque move 1 bob bricklayer k4\n\n")
        .unwrap();
    run(command("mail").stdin(File::open(&mail).unwrap()));
    assert!(turnpost("marque history 1").contains("k4"));
    turnpost("admin check");
    turnpost("admin backup /data/backup.tar.gz");
    assert!(fs::read_dir(root.join("data/outgoing/new")).unwrap().count() > 2);
}

#[test]
fn the_archive_for_cargo_install_is_small_and_has_no_tests() {
    let cargo = |words: &[&str]| {
        run(Command::new(env!("CARGO")).arg("package").args(["--locked", "--offline", "--allow-dirty"]).args(words))
    };
    let listed = cargo(&["--list"]);
    for needed in ["src/main.rs", "migrations/sqlite/0001_schema.sql", "templates/help/overview.txt", "Cargo.lock"] {
        assert!(listed.lines().any(|file| file == needed), "{needed} is missing:\n{listed}");
    }
    assert!(!listed.lines().any(|file| file.starts_with("tests/") || file.starts_with("benches/")), "{listed}");
    let bytes: u64 = listed
        .lines()
        .filter_map(|file| fs::metadata(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).ok())
        .map(|file| file.len())
        .sum();
    assert!(bytes < 6_000_000, "{bytes} octets before compression exceed the limit for a package of 2 MB");
}
