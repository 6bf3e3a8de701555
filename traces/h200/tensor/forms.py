# Writes the lines that drive.cu reads: forms (values) and times.
import sys
U8,U16,U32,I32,U64,I64,F16,F32,F64,BF16,FTZ,TF32,TF32FTZ=range(13)
BYTES=[1,2,4,4,8,8,2,4,8,2,4,4,4]
def line(name,kernel,size,box,at,type=F32,step=None,stride=None,inter=0,swz=0,promo=0,fill=0,grid=1,repeats=1,n=1,last=0):
    r=len(size); b=BYTES[type]
    if stride is None:
        stride=[]; x=size[0]*b
        if inter: x=size[0]*b
        for i in range(r-1):
            x=(x+15)//16*16; stride.append(x); x*=size[i+1]
    step=step or [1]*r
    count=1
    for i,(q,e) in enumerate(zip(box,step)): count*=-(-q//e) if i else q # the step of rows is one whatever it says
    pad=lambda l,n,v:list(l)+[v]*(n-len(l))
    f=[name,kernel,grid,repeats,type,r]+pad(size,5,1)+pad(stride,4,0)+pad(box,5,1)+pad(step,5,1)+[inter,swz,promo,fill]+pad(at,5,0)+[count*b,n,last]
    print(*f)
def forms():
    line("row","load1",[1000],[64],[8])
    line("row_left","load1",[1000],[64],[-12]); line("row_right","load1",[1000],[64],[972]); line("row_far","load1",[1000],[64],[5000])
    for t in range(13): line(f"type{t}","load2",[64,40],[32//BYTES[t]*2,8],[16//BYTES[t],5],type=t)
    for t in (F16,F32,F64,BF16,FTZ,TF32,TF32FTZ):
        for f in (0,1): line(f"fill{t}_{f}","load2",[40,20],[16,16],[32,12],type=t,fill=f)
    for t in (U8,U32): line(f"zero{t}","load2",[64,20],[32,16],[48,-6],type=t)
    for s in range(4):
        w=[64,32,64,128][s]
        for t,b in ((F16,2),(F32,4),(U8,1)):
            line(f"swizzle{s}_{b}","load2",[256,64],[w//b,24],[16//b,3],type=t,swz=s)
        line(f"swizzle{s}_short","load2",[256,64],[w//2//4,24],[8,3],swz=s)
        line(f"swizzle{s}_edge","load2",[256,64],[w//4,24],[256-w//8,50],swz=s)
        line(f"swizzle{s}_3","load3",[64,16,16],[w//4,3,5],[8,3,2],swz=s)
    for p in range(4): line(f"promotion{p}","load2",[256,64],[32,24],[8,3],promo=p)
    line("box3","load3",[32,16,16],[16,5,3],[4,2,7]); line("box4","load4",[16,8,8,8],[8,3,4,2],[4,2,7,-1]); line("box5","load5",[16,8,4,4,4],[8,3,2,3,2],[4,2,3,1,-1])
    line("edge3","load3",[32,16,16],[16,5,3],[24,14,14]); line("low5","load5",[16,8,4,4,4],[8,3,2,3,2],[-4,-2,-1,-1,-1])
    line("stride","load2",[32,20],[16,8],[4,5],stride=[1040]); line("stride3","load3",[32,20,5],[16,8,2],[4,5,1],stride=[144,65536])
    line("overlap","load3",[32,20,5],[16,8,2],[4,5,1],stride=[16,32])
    for e in ([2,1],[1,2],[2,3],[3,2],[4,4],[8,8]): line(f"step{e[0]}_{e[1]}","load2",[100,60],[16,12],[4,7],step=e)
    line("step_edge","load2",[40,20],[16,12],[28,14],step=[2,3]); line("step_swizzle","load2",[256,60],[64,12],[4,7],step=[2,2],swz=3)
    line("step3","load3",[32,16,16],[16,6,6],[4,2,7],step=[1,2,3])
    line("wide","load2",[256,256],[256,12],[0,3]); line("tall","load2",[256,256],[16,256],[16,0],type=U8)
    line("store_row","store1",[1000],[64],[8]); line("store_edge","store1",[1000],[64],[972])
    for t in (U8,F16,F64,TF32,FTZ,BF16): line(f"store_type{t}","store2",[64,40],[32//BYTES[t]*2,8],[16,5],type=t)
    for s in range(4): line(f"store_swizzle{s}","store2",[256,64],[[64,32,64,128][s]//4,24],[8,50],swz=s)
    line("store3","store3",[32,16,16],[16,5,3],[24,12,14]); line("store4","store4",[16,8,8,8],[8,3,4,2],[4,2,7,7]); line("store5","store5",[16,8,4,4,4],[8,3,2,3,2],[4,2,3,1,3])
    line("store_step","store2",[100,60],[16,12],[4,7],step=[2,3]); line("store_stride","store3",[32,20,5],[16,8,2],[4,5,1],stride=[144,65536])
    for t in (U32,I32,U64,F16,F32,BF16): line(f"add{t}","reduce_add",[64,40],[16,8],[8,35],type=t)
    for t in (U32,I32,U64,I64,F16,BF16):
        for o in ("min","max"): line(f"{o}{t}","reduce_"+o,[64,40],[16,8],[56,5],type=t)
    for o in ("inc","dec","and","or","xor"): line(f"{o}{U32}","reduce_"+o,[64,40],[16,8],[8,5],type=U32)
    for o in ("and","or","xor"): line(f"{o}{U64}","reduce_"+o,[64,40],[16,8],[8,5],type=U64)
    line("add_swizzle","reduce_add",[64,40],[32,8],[40,5],swz=3)
    line("add_ftz","reduce_add",[64,40],[32,8],[40,5],type=FTZ)
    line("tail_bytes","load2",[100,40],[64,8],[48,5],type=U8,stride=[112]); line("tail_halves","load2",[33,40],[32,8],[16,5],type=F16,stride=[80])
    line("store_tail_bytes","store2",[99,40],[64,8],[48,5],type=U8,stride=[112]); line("store_tail_halves","store2",[33,40],[32,8],[16,5],type=F16,stride=[80])
    line("add_tail_halves","reduce_add",[33,40],[32,8],[16,5],type=F16,stride=[80]); line("add_double","reduce_add",[64,40],[16,8],[8,35],type=F64)
    line("add_tf32","reduce_add",[64,40],[16,8],[8,35],type=TF32); line("store_outside","store2",[64,40],[16,8],[64,5]); line("store_tf32ftz","store2",[64,40],[16,8],[8,5],type=TF32FTZ)
    # An illegal instruction, each of these.
    line("unaligned","load2",[64,40],[16,8],[5,5]); line("store_left","store1",[1000],[64],[-12]); line("store_above","store2",[64,40],[16,8],[8,-2])
    line("min_float","reduce_min",[64,40],[16,8],[8,5]); line("add_bytes","reduce_add",[64,40],[16,8],[16,5],type=U8); line("and_float","reduce_and",[64,40],[16,8],[8,5]); line("inc_signed","reduce_inc",[64,40],[16,8],[8,5],type=I32)
    line("add_s64","reduce_add",[64,40],[16,8],[8,5],type=I64); line("unaligned_store","store2",[64,40],[16,8],[5,5]); line("two_of_three","load2",[64,40,2],[16,8,1],[8,5,0])
def times():
    R=3
    for b in (4,16,64,256): 
        for n in (1,4): line(f"row{b}_n{n}","time1",[4096],[b],[0],repeats=R,n=n,last=1)
    line("cold","time2",[256,256],[32,32],[0,0],repeats=R)
    for w in (4,8,16,32,64,128,256):
        for h in (1,2,4,8,16,32,64,128,256):
            if w*h*4<=32768 and w*h>=64 and (h in (1,8,32,64,256) or w in (8,32,64)): line(f"w{w}_h{h}_n1","time2",[256,256],[w,h],[0,0],repeats=R,last=1)
    for w,h in ((4,256),(8,128),(16,64),(32,32),(32,64),(32,8),(64,32),(64,16),(256,8),(64,1),(16,4)):
        for n in (2,4,8): line(f"w{w}_h{h}_n{n}","time2",[256,256],[w,h],[0,0],repeats=R,n=n,last=1)
    for s in (1,2,3):
        w=[0,32,64,128][s]//4
        for n in (1,4): line(f"swizzle{s}_n{n}","time2",[256,256],[w,1024//w],[0,0],swz=s,repeats=R,n=n,last=1)
    for t,b in ((U8,1),(F16,2),(F64,8)):
        for n in (1,4): line(f"type{b}_n{n}","time2",[1024//b,256],[128//b,32],[0,0],type=t,repeats=R,n=n,last=1)
    for n in (1,4):
        line(f"tf32_n{n}","time2",[256,256],[32,32],[0,0],type=TF32,repeats=R,n=n,last=1)
        line(f"unaligned_n{n}","time2",[256,256],[32,32],[4,0],repeats=R,n=n,last=1)
        line(f"far_n{n}","time2",[256,256],[32,32],[0,0],stride=[65536],repeats=R,n=n,last=1)
        line(f"edge_n{n}","time2",[256,256],[32,32],[0,240],repeats=R,n=n,last=1); line(f"outside_n{n}","time2",[256,256],[32,32],[0,300],repeats=R,n=n,last=1)
        line(f"step_n{n}","time2",[256,256],[32,64],[0,0],step=[1,2],repeats=R,n=n,last=1)
        for p in (1,2,3): line(f"promotion{p}_n{n}","time2",[256,256],[8,128],[0,0],promo=p,repeats=R,n=n,last=1)
        line(f"d3_n{n}","time3",[32,32,32],[32,8,4],[0,0,0],repeats=R,n=n,last=1); line(f"d4_n{n}","time4",[32,8,8,8],[32,4,4,2],[0,0,0,0],repeats=R,n=n,last=1); line(f"d5_n{n}","time5",[32,8,8,8,2],[32,4,2,2,2],[0,0,0,0,0],repeats=R,n=n,last=1)
        for k in ("time_out2",):
            for w,h in ((4,256),(8,128),(16,64),(32,32),(32,8),(64,16),(256,4),(16,1),(256,32)): line(f"out_w{w}_h{h}_n{n}",k,[256,256],[w,h],[0,0],repeats=R,n=n)
        for b in (4,64,256): line(f"out_row{b}_n{n}","time_out1",[4096],[b],[0],repeats=R,n=n)
    # 132 SMs: a matrix of 16 MiB (level two) and of 264 MiB (DRAM)
    for w,h in ((16,256),(32,128),(64,64),(128,32),(256,16)):
        for name,rows,n in (("l2",16,8),("dram",256,8)):
            n=rows*1024*1024//(w*4)//132//h if name=="dram" else 8*1024*1024//(w*4)//132//h
            line(f"stream_{name}_w{w}","stream2",[w,132*n*h],[w,h],[0,0],repeats=2,grid=132,n=n,last=h)
        line(f"stream_wide_w{w}","stream2",[1024,132*3*h],[w,h],[0,0],repeats=2,grid=132,n=3,last=h)
        line(f"stream_out_w{w}","stream_out2",[w,132*n*h],[w,h],[0,0],repeats=2,grid=132,n=n,last=h)
{"forms":forms,"times":times}[sys.argv[1]]()
