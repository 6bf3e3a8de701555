//! The CUDA tools that the program calls: stand-ins in a folder of their own, and the real ones where there are some.

use snapbox::cmd::{Command, OutputAssert};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
const CUBIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sass/tests/small.cubin");
const JSON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sass/tests/small.json");

/// A folder of stand-ins, by its name.
struct Tools(PathBuf);

impl Tools {
    fn new(name: &str) -> Tools {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("kernel.cu"), "// compiled by a stand-in\n").unwrap();
        Tools(folder)
    }

    /// A program with this text in a folder inside, or in the folder itself.
    fn with(self, name: &str, body: &str) -> Tools {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// A compiler that writes down its arguments and gives the small cubin, or PTX where that is asked for.
    fn with_compiler(self, name: &str) -> Tools {
        let calls = self.0.join("calls");
        let body = format!(
            "echo {name} \"$@\" >> {}\nfile={CUBIN}\nwhile [ $# -gt 0 ]; do case $1 in -o) out=$2;; -ptx) \
             file={DATA}/scale.ptx;; esac; shift; done\n/bin/cp $file $out",
            calls.display()
        );
        self.with(name, &body)
    }

    fn with_disassembler(self) -> Tools {
        self.with("nvdisasm", &format!("/bin/cat {JSON}"))
    }

    /// What the compilers were told.
    fn calls(&self) -> String {
        fs::read_to_string(self.0.join("calls")).unwrap_or_default()
    }

    fn warplab(&self, line: &str) -> OutputAssert {
        Command::new(snapbox::cmd::cargo_bin!("warplab"))
            .args(line.split_whitespace())
            .current_dir(&self.0)
            .env("NO_COLOR", "1")
            .env("PATH", &self.0)
            .env_remove("CUDA_HOME")
            .env_remove("CUDA_PATH")
            .env_remove("WARPLAB_NVCC")
            .env_remove("WARPLAB_PTXAS")
            .env_remove("WARPLAB_NVDISASM")
            .assert()
    }
}

fn standard_output(assert: &OutputAssert) -> String {
    String::from_utf8_lossy(&assert.get_output().stdout).into_owned()
}

fn standard_error(assert: &OutputAssert) -> String {
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

#[test]
fn a_cuda_source_is_machine_code_where_both_tools_are_found() {
    let tools = Tools::new("both").with_compiler("nvcc").with_disassembler();
    let ran = tools.warplab("listing kernel.cu --plain").success().stderr_eq("");
    assert!(standard_output(&ran).starts_with(".arch sm_90\n"));
    assert!(tools.calls().starts_with("nvcc -O3 -arch=sm_90 -lineinfo -cubin -o /"), "{}", tools.calls());
}

#[test]
fn the_machine_says_for_what_a_cuda_source_is_compiled() {
    let tools = Tools::new("architecture").with_compiler("nvcc").with_disassembler();
    tools.warplab("listing kernel.cu --gpu a100").success();
    assert!(tools.calls().starts_with("nvcc -O3 -arch=sm_80 "), "{}", tools.calls());
}

#[test]
fn a_cuda_source_is_ptx_where_only_the_compiler_is_found() {
    let tools = Tools::new("only_nvcc").with_compiler("nvcc");
    let ran = tools.warplab("listing kernel.cu --plain").success();
    assert_eq!(
        standard_error(&ran),
        "note: kernel.cu is read as PTX: no nvdisasm was found; get one with 'pip install nvidia-cuda-nvdisasm' \
         to run its real machine code\n"
    );
    assert!(standard_output(&ran).contains(".kernel scale\n"));
    let asked = tools.warplab("listing kernel.cu --plain --isa ptx").success().stderr_eq("");
    assert_eq!(standard_output(&asked), standard_output(&ran));
    let passes = tools.warplab("listing kernel.cu --plain --passes -schedule").success().stderr_eq("");
    assert!(standard_output(&passes).contains(".kernel scale\n"));
}

#[test]
fn machine_code_that_is_asked_for_needs_the_disassembler() {
    let tools = Tools::new("no_nvdisasm").with_compiler("nvcc").with_compiler("ptxas");
    let missing = "no nvdisasm in WARPLAB_NVDISASM, PATH, CUDA_HOME or the packages of python3; get one with 'pip \
                   install nvidia-cuda-nvdisasm', or use --isa ptx\n";
    for (file, name) in [("kernel.cu", "kernel.cu"), (&*format!("{DATA}/scale.ptx"), "scale.ptx")] {
        let ran = tools.warplab(&format!("listing {file} --isa sass")).code(2).stdout_eq("");
        assert!(standard_error(&ran).ends_with(&format!("{name}: {missing}")), "{}", standard_error(&ran));
    }
}

#[test]
fn ptx_is_assembled_where_machine_code_is_asked_for() {
    let tools = Tools::new("ptxas").with_disassembler();
    let line = format!("listing {DATA}/scale.ptx --isa sass --plain");
    let ran = tools.warplab(&line).code(2).stdout_eq("");
    assert!(
        standard_error(&ran).ends_with(
            "scale.ptx: no ptxas in WARPLAB_PTXAS, PATH, CUDA_HOME or the packages of python3; get one with 'pip \
             install nvidia-cuda-nvcc', or use --isa ptx\n"
        ),
        "{}",
        standard_error(&ran)
    );
    let tools = tools.with_compiler("ptxas");
    let ran = tools.warplab(&line).success().stderr_eq("");
    assert!(standard_output(&ran).contains(".kernel mix\n"));
    assert!(tools.calls().starts_with("ptxas -O3 -arch=sm_90 -lineinfo -o /"), "{}", tools.calls());
}

#[test]
fn ptx_is_machine_code_where_ptxas_and_nvdisasm_are_found() {
    let tools = Tools::new("default_road").with_compiler("ptxas").with_disassembler();
    let line = format!("listing {DATA}/scale.ptx --plain");
    assert!(standard_output(&tools.warplab(&line).success().stderr_eq("")).starts_with(".arch sm_90\n"));
    let own = tools.warplab(&format!("{line} --isa ptx")).success().stderr_eq("");
    assert!(standard_output(&own).contains(".kernel scale\n"));
    let calls = tools.calls();
    assert_eq!(calls.lines().count(), 1, "{calls}");
    // A machine that is none of CUDA's has no such code.
    let other = tools.warplab(&format!("{line} --gpu mi100")).success().stderr_eq("");
    assert!(standard_output(&other).contains(".kernel scale\n"));
}

#[test]
fn ptx_that_ptxas_refuses_goes_through_the_own_compiler_and_says_so() {
    let tools =
        Tools::new("refused").with("ptxas", "echo 'ptxas fatal: too new' >&2; exit 1").with_disassembler();
    let ran = tools.warplab(&format!("listing {DATA}/scale.ptx --plain")).success();
    assert!(standard_output(&ran).contains(".kernel scale\n"));
    let told = standard_error(&ran);
    assert!(
        told.ends_with(
            "scale.ptx goes through the simulator's own compiler (--isa ptx), for there is no machine code of it: \
             ptxas cannot compile /DATA/scale.ptx: ptxas fatal: too new\n"
                .replace("/DATA", DATA)
                .as_str()
        ),
        "{told}"
    );
}

#[test]
fn ptx_goes_through_the_own_compiler_where_a_tool_is_missing() {
    let tools = Tools::new("only_ptxas").with_compiler("ptxas");
    let line = format!("listing {DATA}/scale.ptx --plain");
    let told = standard_error(&tools.warplab(&line).success());
    assert!(
        told.ends_with(
            "scale.ptx is read as PTX: no nvdisasm was found; get one with 'pip install \
                            nvidia-cuda-nvdisasm' to run its real machine code\n"
        ),
        "{told}"
    );
    let tools = Tools::new("only_nvdisasm").with_disassembler();
    tools.warplab(&line).success().stderr_eq("");
}

#[test]
fn a_kernel_whose_machine_code_cannot_run_goes_through_the_own_compiler() {
    let json = fs::read_to_string(JSON).unwrap().replacen("BAR.SYNC", "SULD.SYNC", 1);
    let ptx = fs::read_to_string(format!("{DATA}/scale.ptx")).unwrap().replace("scale", "mix");
    let tools = Tools::new("refused_kernel").with_compiler("ptxas").with("nvdisasm", "/bin/cat wrong.json");
    fs::write(tools.0.join("wrong.json"), json).unwrap();
    fs::write(tools.0.join("mix.ptx"), ptx).unwrap();
    let ran = tools.warplab("listing mix.ptx --kernel mix --plain").success();
    assert!(standard_output(&ran).contains(".kernel mix\n") && !standard_output(&ran).contains(".arch"));
    let told = standard_error(&ran);
    assert!(
        told.starts_with("note: mix.ptx goes through the simulator's own compiler (--isa ptx), for "),
        "{told}"
    );
    assert!(told.contains("'SULD' is not supported: there are no surfaces here"), "{told}");
    let asked = standard_error(&tools.warplab("listing mix.ptx --kernel mix --isa sass").code(2));
    assert!(asked.contains("'SULD' is not supported: there are no surfaces here"), "{asked}");
}

#[test]
fn every_report_says_which_road_the_code_took() {
    let ptx = fs::read_to_string(format!("{DATA}/scale.ptx")).unwrap().replace("scale", "other");
    let tools = Tools::new("road").with_compiler("ptxas").with_disassembler();
    fs::write(tools.0.join("other.ptx"), ptx).unwrap();
    let code = |name: &str| fs::read_to_string(tools.0.join(name)).unwrap();
    let line = "run other.ptx --kernel other --grid 1 --block 32 --arg buffer:x:4KiB:zero";
    let ran = tools.warplab(&format!("{line} --json a.json --html a.html -o a.wl")).success();
    let text = "machine code, from PTX through ptxas";
    assert!(standard_output(&ran).contains(&format!("CC 9.0\n    Code: {text}\n")));
    assert!(code("a.json").contains(&format!("\"code\": \"{text}\"")));
    assert!(code("a.html").contains(&format!("\"code\":\"{text}\"")));
    let kept = standard_output(&tools.warplab("run --import a.wl").success());
    assert!(kept.contains(&format!("    Code: {text}\n")));
    let own = tools.warplab(&format!("{line} --arg f32:2 --isa ptx")).success();
    assert!(standard_output(&own).contains("    Code: PTX, through the simulator's own compiler\n"));
    let cubin = tools.warplab(&line.replace("other.ptx", CUBIN)).success();
    assert!(standard_output(&cubin).contains("    Code: machine code, from a cubin\n"));
}

#[test]
fn machine_code_does_not_become_ptx_and_has_no_passes() {
    let tools = Tools::new("wrong_way").with_disassembler();
    let ran = tools.warplab(&format!("listing {CUBIN} --isa ptx")).code(2).stdout_eq("");
    assert!(
        standard_error(&ran).ends_with(
            "small.cubin is machine code, which cannot become PTX; leave --isa out, or give the .cu or .ptx file\n"
        ),
        "{}",
        standard_error(&ran)
    );
    let ran = tools.warplab("listing kernel.cu --isa sass --passes -schedule").code(2).stdout_eq("");
    assert_eq!(
        standard_error(&ran),
        "error: --passes, --dump-after and --fmad (fmad of a launch file) are of the simulator's own compiler; real machine \
         code has been through another: use --isa ptx\n"
    );
}

#[test]
fn a_compiler_that_is_not_content_is_heard() {
    let tools = Tools::new("fault").with("nvcc", "echo 'kernel.cu(3): error: expected a \";\"' >&2; exit 2");
    let ran = tools.with_disassembler().warplab("listing kernel.cu").code(2).stdout_eq("");
    assert_eq!(
        standard_error(&ran),
        "error: nvcc cannot compile kernel.cu:\nkernel.cu(3): error: expected a \";\"\n"
    );
}

#[test]
fn a_disassembler_without_json_is_too_old() {
    let body = "echo \"nvdisasm fatal   : Unknown option '-json'\" >&2; exit 1";
    let tools = Tools::new("old").with("nvdisasm", body);
    let ran = tools.warplab(&format!("listing {CUBIN}")).code(2).stdout_eq("");
    let path = tools.0.join("nvdisasm").display().to_string();
    assert!(
        standard_error(&ran).ends_with(&format!(
            "small.cubin: {path} is too old: it does not know -json; get a newer one with 'pip install --upgrade \
             nvidia-cuda-nvdisasm' and name it in WARPLAB_NVDISASM. It said:\nnvdisasm fatal   : Unknown option \
             '-json'\n"
        )),
        "{}",
        standard_error(&ran)
    );
}

#[test]
fn a_disassembler_that_does_not_know_the_architecture() {
    let body = "echo 'nvdisasm error   : Unsupported architecture in file' >&2; exit 1";
    let tools = Tools::new("unknown").with("nvdisasm", body);
    let ran = tools.warplab(&format!("listing {CUBIN}")).code(2).stdout_eq("");
    assert!(
        standard_error(&ran).contains("does not know the architecture sm_90; get a newer one with 'pip"),
        "{}",
        standard_error(&ran)
    );
}

/// The small cubin with another architecture in its header.
fn cubin_for(tools: &Tools, architecture: u8) -> PathBuf {
    let mut bytes = fs::read(CUBIN).unwrap();
    bytes[49] = architecture;
    let path = tools.0.join("other.cubin");
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn an_architecture_that_is_not_supported_is_named() {
    let tools = Tools::new("blackwell").with_disassembler();
    cubin_for(&tools, 100);
    let ran = tools.warplab("listing other.cubin").code(2).stdout_eq("");
    assert_eq!(
        standard_error(&ran),
        "error: other.cubin cannot be read:\nthe code is for sm_100, which is not supported; compile it with 'nvcc \
         -arch=sm_90 -cubin'; sm_70 to sm_90 are supported\n"
    );
}

#[test]
fn code_for_another_machine_runs_only_where_that_is_asked_for() {
    let tools = Tools::new("no_image").with_disassembler();
    cubin_for(&tools, 80);
    let line = "run other.cubin --kernel other --grid 1 --block 32 --arg buffer:x:128:zero";
    let ran = tools.warplab(line).code(2).stdout_eq("");
    let error = standard_error(&ran);
    assert!(error.contains("no kernel image is available for NVIDIA H200"), "{error}");
    assert!(error.contains("(sm_90): the code is for sm_80; compile it for sm_90"), "{error}");
    assert!(error.ends_with("or run it all the same with --set architecture='\"8.0\"'\n"), "{error}");
    tools.warplab(&format!("{line} --set architecture=\"8.0\"")).success();
}

#[test]
fn the_packages_of_python_are_searched() {
    let tools = Tools::new("python");
    let packages = tools.0.join("site-packages");
    let tools = tools
        .with("python3", &format!("echo /nosuch; echo {}", packages.display()))
        .with("site-packages/nvidia/cu13/bin/nvdisasm", &format!("/bin/cat {JSON}"));
    tools.warplab(&format!("listing {CUBIN}")).success().stderr_eq("");
}

#[test]
fn a_tool_can_be_named_in_the_environment() {
    let tools = Tools::new("named").with("elsewhere/disassembler", &format!("/bin/cat {JSON}"));
    Command::new(snapbox::cmd::cargo_bin!("warplab"))
        .args(["listing", CUBIN])
        .env("PATH", "")
        .env("WARPLAB_NVDISASM", tools.0.join("elsewhere/disassembler"))
        .assert()
        .success();
}

/// Whether the real tools are at hand.
fn has_real_tools() -> bool {
    ["nvcc", "ptxas", "nvdisasm"]
        .iter()
        .all(|tool| std::process::Command::new(tool).arg("--version").output().is_ok())
}

fn with_real_tools(folder: &Path, line: &str) -> OutputAssert {
    Command::new(snapbox::cmd::cargo_bin!("warplab"))
        .args(line.split_whitespace())
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .assert()
}

const SOURCE: &str = "__device__ __forceinline__ float square(float a) {
  return a * a + 1.0f;
}
extern \"C\" __global__ void kernel(float *x) {
  int i = threadIdx.x;
  x[i] = square(x[i]);
}
";

#[test]
fn a_cuda_source_names_its_lines_by_both_roads() {
    if !has_real_tools() {
        return;
    }
    let tools = Tools::new("real");
    fs::write(tools.0.join("lines.cu"), SOURCE).unwrap();
    for isa in ["ptx", "sass"] {
        let listing = with_real_tools(&tools.0, &format!("listing lines.cu --isa {isa}")).success();
        let listing = standard_output(&listing);
        let place = |opcode: &str| {
            let line = listing.lines().find(|line| line.contains(opcode));
            line.unwrap_or_else(|| panic!("no {opcode} in\n{listing}")).to_owned()
        };
        // The inlined function's own line, and the lines of the kernel around it.
        assert!(place("FFMA").contains("lines.cu:2"), "{isa}: {}", place("FFMA"));
        assert!(place("LDG.E").contains("lines.cu:6"), "{isa}: {}", place("LDG.E"));
        assert!(place("SR_TID.X").contains("lines.cu:5"), "{isa}: {}", place("SR_TID.X"));
        let fault = with_real_tools(
            &tools.0,
            &format!("run lines.cu --isa {isa} --grid 1 --block 64 --arg buffer:x:128:zero"),
        );
        let fault = standard_error(&fault.code(1));
        assert!(fault.contains("help: this is of ") && fault.contains("lines.cu:6\n"), "{isa}: {fault}");
    }
}

#[test]
fn ptx_is_assembled_by_the_real_assembler() {
    if !has_real_tools() {
        return;
    }
    let folder = Path::new(DATA).join("../../../../configs/launches");
    with_real_tools(&folder, "run vector_add.ron --isa sass").success();
}

#[test]
fn arguments_for_nvcc_reach_it() {
    let tools = Tools::new("nvcc_arguments").with_compiler("nvcc");
    tools
        .warplab(
            "run kernel.cu --isa ptx --gpu toy --grid 1 --block 32 --nvcc-arg=-DN=4 --nvcc-arg=--use_fast_math \
             --arg buffer:x:128:zero --arg f32:2",
        )
        .success();
    let calls = tools.calls();
    assert!(calls.contains(" -ptx -DN=4 --use_fast_math -o "), "{calls}");
}
