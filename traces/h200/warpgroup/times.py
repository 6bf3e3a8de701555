import sys
# Writes wgmma.ptx: kernels that time, map and form products of warpgroups.
TY={ "f16":(16,"f32","f16","f16"),"f16h":(16,"f16","f16","f16"),"bf16":(16,"f32","bf16","bf16"),"tf32":(8,"f32","tf32","tf32"),
 "e4e4":(32,"f32","e4m3","e4m3"),"e4e5":(32,"f32","e4m3","e5m2"),"e5e4":(32,"f32","e5m2","e4m3"),"e5e5":(32,"f32","e5m2","e5m2"),
 "e4e4h":(32,"f16","e4m3","e4m3"),"e5e5h":(32,"f16","e5m2","e5m2"),
 "s8s8":(32,"s32","s8","s8"),"u8u8":(32,"s32","u8","u8"),"s8u8":(32,"s32","s8","u8"),"u8s8":(32,"s32","u8","s8"),"s8s8t":(32,"s32","s8","s8")}
def nregs(ty,n): return n//4 if TY[ty][1]=="f16" else n//2
def mma(ty,n,src,acc="c",desc=("%da","%db"),tr=None,p="p",neg=None):
    k,d,a,b=TY[ty]; nd=nregs(ty,n)
    regs="{"+",".join(f"%{acc}{i}" for i in range(nd))+"}"
    A="{%a0,%a1,%a2,%a3}" if src=="r" else desc[0]
    sat=".satfinite" if ty=="s8s8t" else ""
    t=[p]
    if d!="s32":
        t+=[str(x) for x in (neg or (1,1))]
        if a in("f16","bf16"):
            ta,tb=tr or (0,0)
            t+= ([str(tb)] if src=="r" else [str(ta),str(tb)])
    return f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{d}.{a}.{b}{sat} {regs}, {A}, {desc[1]}, {', '.join(t)};\n"
def regty(ty): return "f32" if TY[ty][1]=="f32" else "b32"
def head(name,ty,n,accs=1):
    s=f".visible .entry {name}(.param .u64 o,.param .u64 d0,.param .u64 d1,.param .u32 pp,.param .u64 in)\n{{\n"
    for i in range(accs): s+=f".reg .{regty(ty)} %{'cdef'[i]}<{nregs(ty,n)}>;\n"
    s+=""".reg .b32 %a<4>; .reg .b64 %da,%db,%o,%in,%q<8>; .reg .pred p,q; .reg .b32 %x<12>; .reg .b64 %t<8>;
ld.param.u64 %o,[o]; ld.param.u64 %da,[d0]; ld.param.u64 %db,[d1]; ld.param.u32 %x0,[pp]; ld.param.u64 %in,[in]; setp.ne.b32 p,%x0,0;
mov.u32 %x1,sm; shr.u32 %x1,%x1,4; cvt.u64.u32 %q0,%x1; add.u64 %da,%da,%q0; add.u64 %db,%db,%q0;
mov.u32 %x2,%tid.x;
"""
    return s
HEAD=".version 8.4\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 sm[];\n"
out=HEAD
def zero(ty,n,acc="c"):
    z="0f00000000" if regty(ty)=="f32" else "0"
    return "".join(f"mov.{regty(ty)} %{acc}{i},{z};\n" for i in range(nregs(ty,n)))
def sink(ty,n,acc="c"):
    # keeps accumulators alive
    s="setp.eq.u32 q,%x2,12345;\n@!q bra SK"+acc+";\n"
    for i in range(nregs(ty,n)): s+=f"st.global.{regty(ty)} [%o+{4*i}],%{acc}{i};\n"
    return s+"SK"+acc+":\n"
names=[]
# Time of r products, the last 3 times: clocks before, after issue, after wait.
def timed(name,ty,n,src,r,tr=None,accs=1,commit_each=False,wait=0,late=0,noacc=False):
    global out
    s=head(name,ty,n,accs)
    for i in range(accs): s+=zero(ty,n,"cdef"[i])
    for i in range(4): s+=f"mov.b32 %a{i},%x2;\n"
    s+="mov.u32 %x3,0;\nLOOP:\nbar.sync 0;\n"
    if late: # the last warp of the block comes late
        s+=f"shr.u32 %x4,%x2,5; and.b32 %x4,%x4,3; setp.ne.u32 q,%x4,3; @q bra LL; mov.u64 %t3,%clock64; WW: mov.u64 %t4,%clock64; sub.u64 %t4,%t4,%t3; setp.lt.u64 q,%t4,{late}; @q bra WW; LL: \n"
    s+="mov.u64 %t0,%clock64;\nwgmma.fence.sync.aligned;\nmov.u64 %t3,%clock64;\n"
    for i in range(r):
        if accs>1 and i: s+="wgmma.fence.sync.aligned;\n"
        s+=mma(ty,n,src,"cdef"[i%accs],tr=tr,p="0" if noacc else "p")
        if commit_each and i<r-1: s+="wgmma.commit_group.sync.aligned;\n"
    s+="mov.u64 %t1,%clock64;\nwgmma.commit_group.sync.aligned;\n"
    if wait: s+=f"wgmma.wait_group.sync.aligned {wait};\nmov.u64 %t4,%clock64;\n"
    else: s+="mov.u64 %t4,%t1;\n"
    s+="wgmma.wait_group.sync.aligned 0;\nmov.u64 %t2,%clock64;\nadd.u32 %x3,%x3,1; setp.lt.u32 q,%x3,%x0; @q bra LOOP;\n"
    s+="""and.b32 %x4,%x2,31; setp.ne.u32 q,%x4,0; @q bra SKIP; shr.u32 %x5,%x2,5; mul.wide.u32 %q1,%x5,40; add.u64 %q1,%q1,%in;
st.global.u64 [%q1],%t0; st.global.u64 [%q1+8],%t3; st.global.u64 [%q1+16],%t1; st.global.u64 [%q1+24],%t4; st.global.u64 [%q1+32],%t2;
SKIP:
"""
    for i in range(accs): s+=sink(ty,n,"cdef"[i])
    out+=s+"ret;\n}\n"; names.append(name)
# B's map: A in registers is one where row = column (of 16 columns).
def mapb(name,n,tb):
    global out
    ty="f16"; s=head(name,ty,n)+zero(ty,n)
    s+=fill()
    # lane: row g=lane/4 (and +8), columns 2*(lane%4), +1 (and +8); only warp 0 has ones
    s+="""and.b32 %x4,%x2,31; shr.u32 %x5,%x4,2; and.b32 %x6,%x4,3; shl.b32 %x6,%x6,1; sub.u32 %x7,%x5,%x6; mov.b32 %a0,0; mov.b32 %a1,0; mov.b32 %a2,0;
setp.eq.u32 q,%x7,0; @q mov.b32 %a0,0x3c00; setp.eq.u32 q,%x7,1; @q mov.b32 %a0,0x3c000000; mov.b32 %a3,%a0;
"""
    s+="wgmma.fence.sync.aligned;\n"+mma(ty,n,"r",tr=(0,tb))+"wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
    out+=s+store(ty,n)+"ret;\n}\n"
def fill():
    # copies 192 KiB from in to shared memory
    return """mul.wide.u32 %q1,%x2,16; add.u64 %q1,%q1,%in; shl.b32 %x4,%x2,4; mov.u32 %x5,sm; add.u32 %x4,%x4,%x5; mov.u32 %x6,0;
FL: ld.global.v4.u32 {%x7,%x8,%x9,%x10},[%q1]; st.shared.v4.u32 [%x4],{%x7,%x8,%x9,%x10}; add.u64 %q1,%q1,2048; add.u32 %x4,%x4,2048; add.u32 %x6,%x6,1; setp.lt.u32 q,%x6,96; @q bra FL;
fence.proxy.async; bar.sync 0;
"""
def store(ty,n):
    s=f"mul.wide.u32 %q1,%x2,{4*nregs(ty,n)}; add.u64 %q1,%q1,%o;\n"
    for i in range(nregs(ty,n)): s+=f"st.global.{regty(ty)} [%q1+{4*i}],%c{i};\n"
    return s
# Products: shared memory from in, sums from o, left there.
def values(name,ty,n,tr=None,src="s"):
    global out
    s=head(name,ty,n)+fill()
    s+=f"mul.wide.u32 %q1,%x2,{4*nregs(ty,n)}; add.u64 %q1,%q1,%o;\n"
    for i in range(nregs(ty,n)): s+=f"ld.global.{regty(ty)} %c{i},[%q1+{4*i}];\n"
    s+="wgmma.fence.sync.aligned;\n"+mma(ty,n,src,tr=tr)+"wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
    out+=s+store(ty,n)+"ret;\n}\n"
for n in (8,64,256): 
    for tb in (0,1): mapb(f"mapb_{n}_{tb}",n,tb)
for ta in (0,1): values(f"mapa_{ta}","f16",16,tr=(ta,0))
for ty in TY: values(f"val_{ty}",ty,8)
L=[]
def T(name,wgs=(1,),descs=("k128",),**k):
    timed(name,**k)
    for w in wgs:
        for d in descs: L.append(f"{name} {w} {d}")
for n in (8,16,24,32,64,96,128,192,256):
    for src in "sr":
        for r in (1,2,4,8):
            T(f"t_f16_{n}_{src}_{r}",ty="f16",n=n,src=src,r=r,wgs=(1,2,4) if n<=128 and r in(1,8) else (1,2) if r in (1,8) else (1,),
              descs=("k128","k0") if r in(1,8) and n in(64,128,256) else ("k128",))
for ty in ("f16h","bf16","tf32","e4e4","e4e4h","s8s8"):
    for n in (8,64,128,256):
        for src in "sr":
            for r in (1,8): T(f"t_{ty}_{n}_{src}_{r}",ty=ty,n=n,src=src,r=r,wgs=(1,2) if r==8 else (1,))
for tr in ((1,0),(0,1),(1,1)):
    for n in (64,128,256):
        for r in (1,8): T(f"t_tr{tr[0]}{tr[1]}_{n}_{r}",ty="f16",n=n,src="s",r=r,tr=tr,descs=("m128",),wgs=(1,2) if r==8 else (1,))
for n in (8,32,64,128):
    for src in "sr": T(f"t_two_{n}_{src}_8",ty="f16",n=n,src=src,r=8,accs=2,wgs=(1,2))
for n in (8,64,256):
    for src in "sr":
        T(f"t_each_{n}_{src}_4",ty="f16",n=n,src=src,r=4,commit_each=True)
        T(f"t_each1_{n}_{src}_4",ty="f16",n=n,src=src,r=4,commit_each=True,wait=1)
        T(f"t_noacc_{n}_{src}_4",ty="f16",n=n,src=src,r=4,noacc=True)
        T(f"t_late_{n}_{src}_4",ty="f16",n=n,src=src,r=4,late=2000)
for r in (16,): 
    for n in (8,64,256):
        for src in "sr": T(f"t_f16_{n}_{src}_{r}",ty="f16",n=n,src=src,r=r,wgs=(1,2))
# What other warps do in beside.txt.
FURTHER=("test","arrive","ldschain","ffma_one","ffma8","fadd8","iadd8","mov8","mufu","fma_imm")
def prepare(kind):
    if kind not in FURTHER: return ""
    s=".reg .f32 %y<8>; .reg .b32 %w<8>;\n"+"".join(f"cvt.rn.f32.u32 %y{j},%x2; add.u32 %w{j},%x2,{j};\n" for j in range(8))
    s+="mov.u32 %x9,sm; add.u32 %x9,%x9,190464; shr.u32 %x8,%x2,5; mad.lo.u32 %x9,%x8,64,%x9; and.b32 %x8,%x2,31; setp.ne.u32 q,%x8,0; @q bra NI;\n"
    if kind in("test","arrive"): s+="mbarrier.init.shared.b64 [%x9],32; mbarrier.init.shared.b64 [%x9+8],32;\n"
    else: s+="mov.u32 %x8,0; st.shared.u32 [%x9],%x8;\n"
    return s+"NI:\nsub.u32 %x10,%x0,%x0; bar.sync 0;\n"
def gather():
    s="".join(f"add.f32 %y0,%y0,%y{j}; xor.b32 %w0,%w0,%w{j};\n" for j in range(1,8))
    return s+"mov.b32 %x7,%y0; xor.b32 %x11,%x11,%x7; xor.b32 %x11,%x11,%w0;\n"
# Warpgroup 0 multiplies, the next one does something else all the while.
def beside(name,n,src,r,kind):
    global out
    ty="f16"; s=head(name,ty,n)+zero(ty,n)
    for i in range(4): s+=f"mov.b32 %a{i},%x2;\n"
    s+=prepare(kind)
    s+="mov.u32 %x3,0; mov.u32 %x11,0;\nLOOP:\nbar.sync 0;\nsetp.ge.u32 q,%x2,128; @q bra OTHER;\nmov.u64 %t0,%clock64;\nwgmma.fence.sync.aligned;\nmov.u64 %t3,%clock64;\n"
    for i in range(r): s+=mma(ty,n,src)
    s+="mov.u64 %t1,%clock64;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nmov.u64 %t2,%clock64; mov.u64 %t4,%t1;\nbra NEXT;\nOTHER:\n"
    s+="mov.u32 %x4,sm; and.b32 %x5,%x2,31; mad.lo.u32 %x4,%x5,16,%x4;"+("mov.u32 %x4,%x9;" if kind in("test","arrive","ldschain") else "")+" mov.u64 %t0,%clock64; mov.u64 %t3,%t0; mov.u32 %x6,0;\nIN:\n"
    for i in range(16):
        if kind=="lds128": s+=f"ld.volatile.shared.v4.u32 {{%x7,%x8,%x9,%x10}},[%x4+{512*i}]; xor.b32 %x11,%x11,%x7;\n"
        elif kind=="ldsm": s+=f"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%x7,%x8,%x9,%x10}},[%x4+{512*i}]; xor.b32 %x11,%x11,%x7;\n"
        elif kind=="hmma": s+="mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0,%c1,%c2,%c3},{%a0,%a1,%a2,%a3},{%a0,%a1},{%c0,%c1,%c2,%c3};\n"
        elif kind=="test": s+="mbarrier.test_wait.parity.shared.b64 q,[%x4],1; selp.u32 %x7,0,8,q; add.u32 %x4,%x4,%x7;\n"
        elif kind=="arrive": s+="mbarrier.arrive.shared.b64 %t5,[%x4]; cvt.u32.u64 %x7,%t5; and.b32 %x7,%x7,%x10; add.u32 %x4,%x4,%x7;\n"
        elif kind=="ldschain": s+="ld.volatile.shared.u32 %x7,[%x4]; add.u32 %x4,%x4,%x7;\n"
        elif kind=="ffma_one": s+="fma.rn.f32 %c0,%c0,%c0,%c0; fma.rn.f32 %c3,%c3,%c3,%c3;\n"
        elif kind=="ffma8": s+="".join(f"fma.rn.f32 %y{j},%y{j},%c1,%c2;\n" for j in range(8))
        elif kind=="fadd8": s+="".join(f"add.f32 %y{j},%y{j},%c1;\n" for j in range(8))
        elif kind=="iadd8": s+="".join(f"xor.b32 %w{j},%w{j},%x1; add.u32 %w{j},%w{j},%x0;\n" for j in range(8))
        elif kind=="mov8": s+="".join(f"mul.f32 %y{j},%y{j},%y{j};\n" for j in range(8))
        elif kind=="mufu": s+="ex2.approx.ftz.f32 %c0,%c0; ex2.approx.ftz.f32 %c3,%c3;\n"
        elif kind=="fma_imm": s+="".join(f"fma.rn.f32 %y{j},%y{j},0f3F800001,0f3F000000;\n" for j in range(8))
        elif kind=="ffma": s+="fma.rn.f32 %c0,%c0,%c1,%c2; fma.rn.f32 %c3,%c3,%c1,%c2;\n"
    s+="add.u32 %x6,%x6,1; setp.lt.u32 q,%x6,16; @q bra IN;\nmov.u64 %t2,%clock64; mov.u64 %t1,%t2; mov.u64 %t4,%t2;\nNEXT:\nadd.u32 %x3,%x3,1; setp.lt.u32 q,%x3,%x0; @q bra LOOP;\n"
    s+="""and.b32 %x4,%x2,31; setp.ne.u32 q,%x4,0; @q bra SKIP; shr.u32 %x5,%x2,5; mul.wide.u32 %q1,%x5,40; add.u64 %q1,%q1,%in;
st.global.u64 [%q1],%t0; st.global.u64 [%q1+8],%t3; st.global.u64 [%q1+16],%t1; st.global.u64 [%q1+24],%t4; st.global.u64 [%q1+32],%t2;
SKIP:
"""+(gather() if kind in FURTHER else "")+"""setp.ne.u32 q,%x11,0x7654321; @q bra NS; st.global.u32 [%o],%x11; NS:
"""
    out+=s+sink(ty,n)+"ret;\n}\n"; 
    for w in ((1,2) if n<256 else (1,)): L.append(f"{name} {w} k128")
for n in (64,256):
    for src in "sr":
        for kind in ("lds128","ldsm","hmma","ffma"): beside(f"b_{kind}_{n}_{src}_16",n,src,16,kind)
for kind in ("lds128","ldsm","hmma","ffma"): beside(f"b0_{kind}_64_s_0",64,"s",0,kind)
for kind in ("lds128","hmma"): beside(f"b_{kind}_8_s_64",8,"s",64,kind)
if sys.argv[1:]==["beside"]:
    out=HEAD; L.clear()
    for n in (8,64,128,256):
        for src in "sr":
            for kind in ("ffma",)+FURTHER: beside(f"b_{kind}_{n}_{src}_16",n,src,16,kind)
    for kind in ("ffma",)+FURTHER: beside(f"b0_{kind}_64_s_0",64,"s",0,kind)
open("wgmma.ptx","w").write(out); open("list.txt","w").write("\n".join(L)+"\n")
print(len(L))
